# Scrapy with html2text for the markdown: python3 scrapy_spider.py ORIGIN PAGES CONCURRENCY
import atexit, json, resource, sys

try:
    import html2text, scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor
except ImportError:
    print('{ "missing": true }')
    sys.exit()

origin, _, concurrency = sys.argv[1:4]
done = {'pages': 0, 'characters': 0}


class Site(scrapy.Spider):
    name = 'site'
    allowed_domains = ['127.0.0.1']
    links = LinkExtractor()

    # The first page is a request as any other: Scrapy would read it twice.
    def start_requests(self):
        yield scrapy.Request(origin + '/')

    def parse(self, response):
        markdown = html2text.HTML2Text(bodywidth=0).handle(response.css('main').get() or '')
        done['pages'] += 1
        done['characters'] += len(markdown)
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


def report():
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = 1000 * (used.ru_utime + used.ru_stime)
    print(json.dumps({**done, 'cpu': cpu, 'memory': used.ru_maxrss / 1024}))


atexit.register(report)
crawler = CrawlerProcess({
    'LOG_LEVEL': 'ERROR',
    'CONCURRENT_REQUESTS': int(concurrency),
    'CONCURRENT_REQUESTS_PER_DOMAIN': int(concurrency),
    'ROBOTSTXT_OBEY': True,
    'TELNETCONSOLE_ENABLED': False,
    'REQUEST_FINGERPRINTER_IMPLEMENTATION': '2.7',
})
crawler.crawl(Site)
crawler.start()

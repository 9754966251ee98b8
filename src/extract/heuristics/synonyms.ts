/** Maps property names of schemas and pages: synonyms, schema.org paths, and English names of labels. */
import { fold, singular } from '../facts/property-names.ts';
import { labelTable } from './label-table.ts';

/** Names that pages use for the things they list. */
const things: readonly (readonly [name: string, words: string])[] = [
  [
    'product',
    'produkt, produkte, produit, produits, producto, productos, prodotto, prodotti, produto, produtos',
  ],
  [
    'event',
    'veranstaltung, veranstaltungen, termine, événement, événements, evento, eventos, eventi, evenement',
  ],
  [
    'job',
    'stelle, stellen, stellenangebot, stellenangebote, offre, offres, emploi, emplois, empleo, empleos, vacature, lavoro',
  ],
  [
    'recipe',
    'rezept, rezepte, recette, recettes, receta, recetas, ricetta, ricette, recept, recepten',
  ],
  ['article', 'beitrag, beiträge, aufsatz, aufsätze, artículo, artículos, articolo, articoli'],
  ['person', 'mitarbeiter, personne, personnes, persona, personas, persone'],
  [
    'property',
    'immobilie, immobilien, objekt, inmueble, inmuebles, immobile, immobili, logement, bien',
  ],
];

const names: ReadonlyMap<string, string> = new Map(
  [...things, ...labelTable].flatMap(([name, labels]) =>
    labels.split(',').map((label): [string, string] => [fold(label), fold(name)]),
  ),
);

/** The folded English name of a folded label, or the label itself if it is unknown. */
export function englishName(folded: string): string {
  return names.get(folded) ?? folded;
}

const prepositions =
  /\s+(?:on|at|in|from|by|am|ab|um|seit|bis|zum|le|la|du|à|en|el|del|de|em|il|dal|op|vanaf)$/iu;

/** A label without the preposition that leads to its value: `Posted on`, `Publiée le`. */
export function withoutPreposition(label: string): string {
  return label.replace(prepositions, '');
}

// Property names in schemas, with their paths in schema.org.

/**
 * Paths into a schema.org entity, best first, with the names for them in schemas, labels and meta
 * tags. Names that equal the property need no entry.
 */
const table: readonly (readonly [paths: string, names: string])[] = [
  ['name headline title', 'name fullName displayName label'],
  ['headline name title', 'title headline heading'],
  ['description abstract', 'description summary excerpt intro teaser subtitle'],
  ['articleBody text reviewBody', 'body content fullText articleText'],
  ['url item mainEntityOfPage @id offers.url', 'url link href permalink pageUrl website homepage'],
  ['identifier productID @id', 'id identifier reference referenceNumber'],
  ['image photo primaryImageOfPage thumbnailUrl', 'image photo picture img imageUrl imageUrls'],
  ['thumbnailUrl thumbnail image', 'thumbnail thumbnailUrl'],
  ['inLanguage', 'language lang locale'],
  ['knowsLanguage availableLanguage', 'languages spokenLanguages languagesSpoken'],
  ['isAccessibleForFree', 'isFree free freeAdmission freeEntry'],
  ['keywords', 'keywords tags tag topics'],
  // Products and offers
  [
    'offers.price offers.lowPrice offers.priceSpecification.price price lowPrice hasVariant.offers.price',
    'price amount priceAmount currentPrice finalPrice cost',
  ],
  [
    'offers.priceCurrency priceCurrency offers.priceSpecification.priceCurrency ' +
      'baseSalary.currency currency hasVariant.offers.priceCurrency',
    'currency priceCurrency currencyCode',
  ],
  ['offers.lowPrice', 'lowPrice minPrice priceFrom'],
  ['offers.highPrice', 'highPrice maxPrice priceTo'],
  [
    'offers.availability availability',
    'availability inStock stock available isAvailable stockStatus',
  ],
  ['offers.itemCondition itemCondition', 'condition itemCondition'],
  ['offers.seller seller', 'seller vendor soldBy merchant'],
  ['offers.url', 'ticketUrl buyUrl offerUrl'],
  ['brand', 'brand brandName make'],
  ['manufacturer', 'manufacturer madeBy'],
  ['sku offers.sku', 'sku itemNumber articleNumber productCode artNo itemNo stockCode'],
  ['gtin13 gtin gtin14 gtin8', 'ean gtin gtin13 barcode'],
  ['gtin12 gtin', 'upc'],
  ['mpn', 'mpn partNumber manufacturerPartNumber'],
  ['category articleSection recipeCategory genre', 'category'],
  ['color', 'color colour'],
  ['hasVariant model', 'variants variant'],
  // Ratings and reviews
  [
    'aggregateRating.ratingValue starRating.ratingValue reviewRating.ratingValue ratingValue',
    'rating ratingValue averageRating stars score ratingAverage',
  ],
  [
    'aggregateRating.reviewCount aggregateRating.ratingCount reviewCount',
    'reviewCount reviewsCount numberOfReviews numReviews totalReviews',
  ],
  [
    'aggregateRating.ratingCount aggregateRating.reviewCount ratingCount',
    'ratingCount ratingsCount numberOfRatings votes',
  ],
  [
    'aggregateRating.bestRating reviewRating.bestRating bestRating',
    'bestRating maxRating ratingBest ratingMax ratingScale',
  ],
  ['review aggregateRating.reviewCount', 'reviews review'],
  ['ratingValue value price amount', 'value'],
  ['reviewCount ratingCount', 'count'],
  // Articles
  ['author creator', 'author authors byline writer writtenBy authorName by creator'],
  [
    'datePublished datePosted dateCreated uploadDate',
    'publishedAt published publishedDate publicationDate publishDate publishedTime publishedOn ' +
      'datePublished publicationTime releaseDate',
  ],
  ['datePosted datePublished', 'datePosted posted postedAt postedDate postedOn'],
  ['datePublished datePosted startDate dateCreated', 'date'],
  [
    'dateModified',
    'updatedAt updated modified modifiedAt modifiedTime dateModified lastModified lastUpdated ' +
      'updatedTime updatedDate modifiedDate',
  ],
  ['dateCreated', 'created createdAt dateCreated'],
  ['publisher', 'publisher publication'],
  ['articleSection category', 'section articleSection'],
  ['isPartOf.isPartOf.name isPartOf.name isPartOf', 'journal journalTitle'],
  ['volumeNumber isPartOf.volumeNumber', 'volume volumeNumber'],
  ['issueNumber isPartOf.issueNumber', 'issue issueNumber'],
  ['pagination', 'pageRange pagination'],
  ['organizer', 'organizer organiser host'],
  ['commentCount interactionStatistic.userInteractionCount', 'commentCount commentsCount'],
  // Events and places
  ['startDate', 'start startDate startsAt startTime begins startAt started day eventDate'],
  ['offers', 'tickets ticket offers'],
  ['endDate', 'end endDate endsAt endTime ends endAt'],
  ['location place', 'venue venueName place'],
  ['location jobLocation contentLocation address', 'location'],
  ['performer', 'performer performers artists artist speakers speaker'],
  ['eventStatus', 'status eventStatus'],
  ['address location.address jobLocation.address', 'address'],
  [
    'streetAddress address.streetAddress location.address.streetAddress jobLocation.address.streetAddress',
    'street streetAddress',
  ],
  [
    'addressLocality address.addressLocality location.address.addressLocality jobLocation.address.addressLocality',
    'city town locality addressLocality',
  ],
  [
    'addressRegion address.addressRegion location.address.addressRegion jobLocation.address.addressRegion',
    'region state province addressRegion',
  ],
  [
    'postalCode address.postalCode location.address.postalCode jobLocation.address.postalCode',
    'zip zipCode postalCode postcode',
  ],
  [
    'addressCountry address.addressCountry location.address.addressCountry jobLocation.address.addressCountry ' +
      'applicantLocationRequirements',
    'country addressCountry',
  ],
  ['latitude geo.latitude location.geo.latitude', 'lat latitude'],
  ['longitude geo.longitude location.geo.longitude', 'lng lon longitude'],
  ['telephone contactPoint.telephone', 'phone telephone tel phoneNumber mobile'],
  ['email contactPoint.email', 'email mail emailAddress'],
  ['openingHours openingHoursSpecification', 'hours openingHours'],
  // Jobs and people
  [
    'hiringOrganization worksFor affiliation',
    'company companyName employer employerName organization',
  ],
  ['affiliation worksFor', 'affiliation institution'],
  ['jobTitle title', 'jobTitle position role'],
  ['baseSalary estimatedSalary', 'salary'],
  ['baseSalary.value.minValue baseSalary.minValue', 'salaryMin minSalary salaryFrom'],
  ['baseSalary.value.maxValue baseSalary.maxValue', 'salaryMax maxSalary salaryTo'],
  ['baseSalary.currency', 'salaryCurrency'],
  ['minValue value.minValue lowPrice', 'min minimum low'],
  ['maxValue value.maxValue highPrice', 'max maximum high'],
  ['unitText value.unitText', 'unit period'],
  ['baseSalary.value.unitText baseSalary.unitText', 'salaryUnit salaryPeriod payPeriod'],
  ['employmentType', 'employmentType jobType contractType'],
  ['jobLocationType', 'remote isRemote jobLocationType'],
  [
    'validThrough expires',
    'validThrough deadline expiresAt expires closingDate applyBy validUntil',
  ],
  // Recipes
  ['recipeIngredient ingredients supply', 'ingredients recipeIngredient'],
  ['recipeInstructions step', 'instructions steps directions method recipeInstructions'],
  ['recipeYield yield', 'servings yield serves portions recipeYield'],
  ['prepTime', 'prepTime prep preparationTime preparation'],
  ['cookTime', 'cookTime cook cookingTime cooking'],
  ['totalTime duration timeRequired', 'totalTime total readyIn duration'],
  ['nutrition.calories', 'calories'],
  ['recipeCuisine servesCuisine', 'cuisine'],
  // Homes
  ['numberOfBedrooms', 'bedrooms beds numberOfBedrooms'],
  ['numberOfBathroomsTotal numberOfFullBathrooms', 'bathrooms baths'],
  ['numberOfRooms', 'rooms numberOfRooms'],
  ['floorSize', 'area floorSize livingArea floorArea squareMeters squareFeet'],
  // Other
  ['publications', 'publications'],
  ['numberOfPages pagination', 'pages pageCount numPages'],
  ['softwareVersion version', 'version'],
  ['acceptedAnswer.text suggestedAnswer.text', 'answer'],
  ['name text', 'question'],
  ['mainEntity', 'questions faq faqs'],
  ['blogPost hasPart', 'posts articles'],
];

const pathsByName: ReadonlyMap<string, readonly string[]> = indexTable();

/** Paths into an entity for a folded property name; none when it has no synonym. */
export function synonymPaths(name: string): readonly string[] {
  const english = englishName(name);
  return (
    pathsByName.get(name) ?? pathsByName.get(english) ?? pathsByName.get(singular(english)) ?? []
  );
}

/** One canonical name for all synonyms: two folded names with the same canonical name mean the same. */
export function canonical(name: string): string {
  return synonymPaths(name)[0] ?? singular(englishName(name));
}

function indexTable(): Map<string, readonly string[]> {
  const index = new Map<string, readonly string[]>();
  for (const [paths, names] of table) {
    for (const name of names.split(' ')) index.set(fold(name), paths.split(' '));
  }
  return index;
}

/** Two further sites with questions, to check the measure of an answer: its thresholds were set with others. */
import { type AnswerSite, paragraphs as p, picker, siteOf } from './answer-sites.ts';

type Plans = Parameters<typeof siteOf>[4];

const titlesOf = (plans: Plans, paths: readonly string[]): (readonly [string, string])[] =>
  paths.map((path) => [path, plans[path]?.title ?? path] as const);

/** A department of a university: 51 pages, whose menu has no list of all pages. */
export function universitySite(): AnswerSite {
  const pick = picker(5);
  const plans: Record<string, Plans[string]> = {};
  for (let n = 1; n <= 18; n += 1) {
    const name = `${pick('Ada|Ben|Cleo|Dov|Esi|Finn')} ${pick('Moor|Hart|Lund|Osman|Reyes')} ${n}`;
    plans[`/people/${n}`] = {
      title: name,
      body: p(
        `${name} teaches ${pick('algebra|statistics|optics|geology')} and works on ${pick('rivers|lenses|graphs|proofs')}. Office hours by appointment.`,
        `Admission to the seminar is open to all students. Room ${100 + n}.`,
      ),
    };
  }
  for (let n = 1; n <= 16; n += 1) {
    plans[`/courses/${n}`] = {
      title: `${pick('Introduction to|Advanced|Topics in')} ${pick('algebra|statistics|optics|geology')} ${n}`,
      body: `<dl><dt>Credits</dt><dd>${pick('3|5|8')}</dd><dt>Term</dt><dd>${pick('Autumn|Spring')}</dd><dt>Exam</dt><dd>Written, two hours</dd></dl>`,
    };
  }
  plans['/study/apply'] = {
    title: 'How to apply',
    body: p(
      'The deadline for applications to the master programme is 15 March; for applicants who need a visa it is 1 February.',
      'Send a transcript, two letters of reference and a test of English.',
    ),
  };
  plans['/study/fees'] = {
    title: 'Tuition fees',
    body: '<table><tr><th>Programme</th><th>Fee a year</th></tr><tr><td>Bachelor</td><td>4,200 pounds</td></tr><tr><td>Master</td><td>7,800 pounds</td></tr></table>',
  };
  plans['/study/scholarships'] = {
    title: 'Scholarships',
    body: p(
      'The Whitmore scholarship pays half of the tuition fees for two years. It is given to four students each autumn.',
    ),
  };
  plans['/study/exams'] = {
    title: 'Exams',
    body: p(
      'An exam that was failed may be taken again once. The resit is in the last week of September.',
    ),
  };
  plans['/library/'] = {
    title: 'Department library',
    body: p('The library is open from 9 to 22 on weekdays. Books are lent for 28 days.'),
  };
  for (let n = 1; n <= 8; n += 1) {
    plans[`/events/${n}`] = {
      title: `Talk ${n}: ${pick('light|stones|numbers')}`,
      body: p(
        `A talk by ${pick('a guest|a student|a fellow')} in the library hall. Applications are not needed.`,
      ),
    };
  }
  const under = (folder: string): (readonly [string, string])[] =>
    titlesOf(
      plans,
      Object.keys(plans).filter((path) => path.startsWith(folder) && path !== folder),
    );
  plans['/study/'] = {
    title: 'Studying here',
    body: p('Programmes and admission.'),
    links: under('/study/'),
  };
  plans['/courses/'] = { title: 'Courses', body: p('This year.'), links: under('/courses/') };
  plans['/people/'] = {
    title: 'People',
    body: p('Staff of the department.'),
    links: under('/people/'),
  };
  plans['/events/'] = { title: 'Events', body: p('Talks.'), links: under('/events/') };
  plans['/'] = { title: 'Department of Sciences', body: p('Teaching and research since 1912.') };
  const menu = [
    ['/study/', 'Study'],
    ['/courses/', 'Courses'],
    ['/people/', 'People'],
    ['/library/', 'Library'],
    ['/events/', 'Events'],
  ] as const;
  return {
    pages: siteOf('Sciences', 'en', menu, 'Department of Sciences, 1 College Road.', plans),
    questions: [
      { query: 'application deadline for the master programme', answers: [['/study/apply']] },
      { query: 'How much are tuition fees for a Master a year?', answers: [['/study/fees']] },
      { query: 'Whitmore scholarship', answers: [['/study/scholarships']] },
      { query: 'When is the resit of a failed exam?', answers: [['/study/exams']] },
      { query: 'How long are library books lent?', answers: [['/library/']] },
      { query: 'doctoral degree in Astronomy part time', answers: [] },
    ],
  };
}

/** The help pages of an accounting program, in German, as a wiki: 44 pages. */
export function helpCentreSite(): AnswerSite {
  const pick = picker(8);
  const plans: Record<string, Plans[string]> = {};
  const articles: Readonly<Record<string, readonly [string, string]>> = {
    'rechnung-stornieren': [
      'Rechnung stornieren',
      `<h2>Schritte</h2><ol><li>Öffnen Sie die Rechnung.</li><li>Wählen Sie im Menü „Mehr“ den Punkt „Stornieren“.</li><li>Bestätigen Sie: Das Programm erstellt eine Stornorechnung mit eigener Nummer.</li></ol>`,
    ],
    'mahnung-senden': [
      'Mahnung senden',
      p('Eine Mahnung senden Sie frühestens 7 Tage nach der Fälligkeit.'),
    ],
    'passwort-vergessen': [
      'Passwort vergessen',
      p(
        'Klicken Sie auf „Passwort vergessen“. Der Link in der Mail gilt 60 Minuten, danach fordern Sie einen neuen an.',
      ),
    ],
    kuendigung: [
      'Vertrag kündigen',
      p('Die Kündigung ist zum Ende jedes Monats möglich. Die Frist beträgt 14 Tage.'),
    ],
    'export-datev': [
      'Export für DATEV',
      p(
        'Den Export für DATEV finden Sie unter Berichte. Die Datei enthält alle Buchungen eines Monats, höchstens 10.000.',
      ),
    ],
    'benutzer-einladen': ['Benutzer einladen', p('Im Tarif Team laden Sie bis zu 5 Benutzer ein.')],
    tarife: [
      'Tarife und Preise',
      '<table><tr><td>Tarif Solo</td><td>9 Euro im Monat</td></tr><tr><td>Tarif Team</td><td>29 Euro im Monat</td></tr></table>',
    ],
  };
  for (const [name, [title, body]] of Object.entries(articles))
    plans[`/hilfe/${name}`] = { title, body };
  for (let n = 1; n <= 32; n += 1) {
    const subject = pick('Angebot|Lieferschein|Kunde|Artikel|Beleg|Konto|Zahlung|Vorlage');
    plans[`/hilfe/thema-${n}`] = {
      title: `${subject} ${pick('anlegen|ändern|drucken|suchen|archivieren')} (${n})`,
      body: `<details><summary>Wo finde ich das?</summary>${p(`Öffnen Sie links ${pick('Verkauf|Einkauf|Stammdaten')} und wählen Sie den ${subject}.`)}</details>${p('Speichern Sie mit der Taste F9. Eine Rechnung wird davon nicht berührt.')}`,
    };
  }
  const all = titlesOf(plans, Object.keys(plans));
  plans['/hilfe/seite-2'] = {
    title: 'Alle Artikel, Seite 2',
    body: p('Weitere Artikel.'),
    links: all.slice(20),
  };
  plans['/hilfe/'] = {
    title: 'Alle Artikel',
    body: p('Rechnung, Mahnung, Export, Tarife: hier steht alles.'),
    links: [...all.slice(0, 20), ['/hilfe/seite-2', 'Weiter']],
  };
  plans['/'] = { title: 'Kontenblick', body: p('Buchhaltung für kleine Firmen.') };
  const menu = [
    ['/hilfe/', 'Hilfe'],
    ['/hilfe/tarife', 'Preise'],
  ] as const;
  return {
    pages: siteOf('Kontenblick', 'de', menu, 'Kontenblick GmbH, Kiel.', plans),
    questions: [
      {
        query: 'Wie kann ich eine Rechnung stornieren?',
        answers: [['/hilfe/rechnung-stornieren']],
      },
      {
        query: 'Wie lange gilt der Link, wenn ich das Passwort vergessen habe?',
        answers: [['/hilfe/passwort-vergessen']],
      },
      { query: 'Was kostet der Tarif Team im Monat?', answers: [['/hilfe/tarife']] },
      { query: 'Export der Buchungen für DATEV', answers: [['/hilfe/export-datev']] },
      { query: 'Frist der Kündigung', answers: [['/hilfe/kuendigung']] },
      { query: 'Kassensystem mit TSE verbinden', answers: [] },
    ],
  };
}

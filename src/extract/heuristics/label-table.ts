/** Maps labels to English property names: German, French, Spanish, Italian, Dutch, Portuguese, more English. */

/**
 * A property's English name with the labels that mean it. The words are taken from dictionaries and from
 * the forms that shops, registers and publishers use; none is a synonym that needs a guess.
 */
export const labelTable: readonly (readonly [name: string, labels: string])[] = [
  // Products
  ['name', 'nom, nombre, bezeichnung, produktname, denominación, naam, nome'],
  ['title', 'titel, titre, título, titolo'],
  [
    'price',
    'preis, verkaufspreis, kaufpreis, kaltmiete, miete, monatsmiete, eintritt, eintrittspreis, prix, tarif, ' +
      'prix de vente, loyer, precio, precio actual, alquiler, entrada, prezzo, prijs, preço, guide price, ' +
      'asking price, list price, our price, sale price, price now, now, rent, monthly rent, admission, ' +
      'ticket price, plein tarif, entrada general, angebotspreis, aktueller preis, prix actuel, unser preis',
  ],
  [
    'oldPrice',
    'was, was price, previous price, regular price, original price, price before, old price, before, statt, ' +
      'alter preis, bisher, uvp, früherer preis, ancien prix, prix initial, prix barré, avant, ' +
      'precio anterior, precio original, antes, prezzo precedente, oude prijs, preço antigo, rrp, msrp',
  ],
  ['currency', 'währung, devise, monnaie, moneda, divisa, valuta, moeda'],
  [
    'sku',
    'artikelnummer, art nr, artikel nr, bestellnummer, référence, réf, référence produit, referencia, ref, ' +
      'código, código de artículo, codice articolo, artikelnr, item no, item number, product code, ' +
      'article number, article no, model number, código do produto',
  ],
  ['ean', 'ean code, ean nummer, código ean, code ean, gtin ean'],
  ['brand', 'marke, marque, marca, merk'],
  ['manufacturer', 'hersteller, fabricant, fabricante, produttore, fabrikant'],
  [
    'availability',
    'verfügbarkeit, lieferbarkeit, disponibilité, disponibilidad, disponibilità, beschikbaarheid, disponibilidade',
  ],
  ['condition', 'zustand, état, estado, condizione, staat'],
  ['color', 'farbe, couleur, coloris, kleur, colore, cor'],
  ['material', 'materials, matière, matériau, matériaux, composition, materiale, materiaal, stoff'],
  ['weight', 'gewicht, poids, peso, net weight, nettogewicht, poids net, peso neto'],
  ['height', 'höhe, hauteur, altura, alto, altezza, hoogte'],
  ['width', 'breite, largeur, anchura, ancho, larghezza, breedte, largura'],
  ['depth', 'tiefe, profondeur, profundidad, fondo, profondità, diepte, profundidade'],
  ['length', 'länge, longueur, longitud, largo, lunghezza, lengte, comprimento'],
  ['size', 'größe, taille, talla, tamaño, taglia, maat, tamanho'],
  ['dimensions', 'maße, abmessungen, dimensiones, medidas, dimensioni, afmetingen, medidas'],
  ['warranty', 'garantie, gewährleistung, garantía, garanzia, garantia'],
  ['category', 'kategorie, rubrik, catégorie, rubrique, categoría, categoria, categorie'],
  [
    'rating',
    'bewertung, note moyenne, valoración, calificación, valutazione, beoordeling, avaliação',
  ],
  ['reviewCount', 'bewertungen, anzahl bewertungen, avis, opiniones, recensioni, beoordelingen'],
  [
    'features',
    'key features, product features, ausstattung, ausstattungsmerkmale, merkmale, eigenschaften, ' +
      'produktmerkmale, caractéristiques, points forts, équipements, prestations, características, ' +
      'equipamiento, caratteristiche, kenmerken, bullet points, amenities',
  ],
  // Texts
  [
    'description',
    'beschreibung, descripción, descrizione, beschrijving, descrição, produktbeschreibung',
  ],
  [
    'abstract',
    'zusammenfassung, résumé, resumen, riassunto, sommario, samenvatting, resumo, kurzfassung',
  ],
  ['author', 'autor, autorin, verfasser, verfasserin, auteur, auteure, autora, autore, written by'],
  ['authors', 'autoren, autorinnen und autoren, verfasser innen, auteurs, autores, autori'],
  ['publisher', 'verlag, herausgeber, éditeur, editorial, editore, uitgever, editora'],
  [
    'published',
    'veröffentlicht, erschienen, erscheinungsdatum, veröffentlichungsdatum, publié, publiée, parution, ' +
      'date de publication, date de parution, publicado, publicada, fecha de publicación, pubblicato, ' +
      'data di pubblicazione, gepubliceerd, publicado em, date published, first published, publikationsdatum',
  ],
  [
    'posted',
    'ausgeschrieben, eingestellt, online seit, mise en ligne, date posted, listed, date listed, added',
  ],
  [
    'updated',
    'aktualisiert, zuletzt aktualisiert, letzte aktualisierung, letzte änderung, zuletzt geändert, stand, ' +
      'mis à jour, mise à jour, dernière mise à jour, dernière modification, actualizado, actualizada, ' +
      'última actualización, última modificación, aggiornato, ultimo aggiornamento, bijgewerkt, ' +
      'laatst bijgewerkt, atualizado, última atualização, last modified, last changed, last updated, ' +
      'last update, date modified, revised',
  ],
  [
    'keywords',
    'key words, schlagwörter, schlagworte, stichwörter, schlüsselwörter, mots clés, palabras clave, ' +
      'etiquetas, parole chiave, trefwoorden, palavras chave',
  ],
  ['language', 'sprache, langue, idioma, lingua, taal'],
  ['languages', 'sprachen, langues, langues parlées, idiomas, lingue, talen, spoken languages'],
  ['license', 'licence, lizenz, licencia, licenza, licentie, licença, rights, rechte'],
  ['version', 'versión, versione, versie, versão, ausgabe'],
  ['journal', 'zeitschrift, revue, revista, rivista, tijdschrift, published in'],
  ['volume', 'vol, band, jahrgang, tome, volumen, tomo, jaargang'],
  ['issue', 'heft, numéro, número, nummer, fascicolo'],
  ['pages', 'seiten, páginas, pagine, paginas, page range, pp'],
  ['pageCount', 'seitenzahl, anzahl seiten, nombre de pages, número de páginas, numero di pagine'],
  ['publications', 'veröffentlichungen, publikationen, publicaciones, pubblicazioni, publicações'],
  [
    'seeAlso',
    'siehe auch, voir aussi, véase también, ver también, vedi anche, zie ook, related pages, related topics',
  ],
  ['parameters', 'parameter, paramètres, parámetros, parametri, arguments, argumente, argumentos'],
  ['type', 'typ, tipo, datentyp, data type'],
  [
    'default',
    'default value, standard, standardwert, vorgabe, voreinstellung, par défaut, valeur par défaut, ' +
      'por defecto, valor por defecto, predeterminado, valor predeterminado, predefinito, standaard, padrão',
  ],
  // Jobs
  [
    'company',
    'firma, unternehmen, arbeitgeber, arbeitgeberin, entreprise, société, employeur, empresa, azienda, bedrijf, werkgever',
  ],
  [
    'location',
    'arbeitsort, standort, einsatzort, lieu, lieu de travail, localisation, ubicación, lugar, lugar de trabajo, localidad de trabajo, luogo, sede, locatie, plaats, local',
  ],
  [
    'employmentType',
    'beschäftigungsart, anstellungsart, arbeitszeit, vertragsart, type de contrat, contrat, type d emploi, ' +
      'jornada, tipo de contrato, contrato, tipo di contratto, dienstverband, job type, contract, ' +
      'contract type, employment, hours and contract',
  ],
  [
    'salary',
    'gehalt, vergütung, jahresgehalt, salaire, rémunération, salario, sueldo, retribución, stipendio, salaris, salário, pay, annual salary, compensation, salary range, gehaltsspanne',
  ],
  [
    'deadline',
    'bewerbungsfrist, bewerbungsschluss, date limite, date limite de candidature, fecha límite, plazo, plazo de solicitud, scadenza, sluitingsdatum, application deadline, apply before, closes, closing, closing date, apply by',
  ],
  [
    'requirements',
    'anforderungen, anforderungsprofil, ihr profil, dein profil, voraussetzungen, qualifikationen, das bringen sie mit, ' +
      'das bringst du mit, profil recherché, votre profil, exigences, compétences requises, requisitos, perfil, ' +
      'tu perfil, requisiti, vereisten, qualifications, what you bring, what we are looking for, your profile, ' +
      'what you need, skills required, required skills',
  ],
  [
    'benefits',
    'wir bieten, das bieten wir, avantages, nous offrons, se ofrece, ofrecemos, beneficios, what we offer, perks',
  ],
  [
    'reference',
    'kennziffer, aktenzeichen, referenznummer, stellennummer, referenz, référence de l offre, reference number, reference no, job reference, job id, ref no',
  ],
  // Events
  [
    'start',
    'beginn, anfang, startdatum, début, date de début, inicio, comienzo, fecha de inicio, inizio, begin, aanvang, início, starts, start date',
  ],
  [
    'end',
    'ende, enddatum, fin, date de fin, fecha de fin, fecha de finalización, fine, einde, fim, ends, end date',
  ],
  [
    'startTime',
    'uhrzeit, anfangszeit, heure, heure de début, horaire, hora, hora de inicio, hora de comienzo, orario, ora, tijd, aanvangstijd, start time, time, starts at',
  ],
  ['date', 'datum, termin, fecha, data'],
  [
    'venue',
    'veranstaltungsort, spielort, ort der veranstaltung, salle, lieu de l événement, recinto, sala, luogo dell evento, zaal, where',
  ],
  [
    'organizer',
    'organiser, organized by, organised by, hosted by, host, veranstalter, veranstalterin, organisateur, organisatrice, organisé par, organizador, organizadora, organiza, organizzatore, organisator',
  ],
  [
    'performers',
    'mitwirkende, künstler, besetzung, artistes, intervenants, avec, artistas, intérpretes, ponentes, line up, lineup, artisti, artiesten',
  ],
  [
    'isFree',
    'free, free admission, free entry, admission free, eintritt frei, freier eintritt, entrée libre, entrée gratuite, gratuit, entrada gratuita, entrada libre, gratis, ingresso libero, is accessible for free',
  ],
  // Recipes
  ['ingredients', 'zutaten, ingrédients, ingredientes, ingredienti, ingrediënten'],
  [
    'instructions',
    'zubereitung, anleitung, préparation de la recette, étapes, elaboración, pasos, modo de preparación, procedimento, bereiding, bereidingswijze, modo de preparo, method',
  ],
  [
    'servings',
    'portionen, personen, nombre de personnes, parts, raciones, porciones, comensales, porzioni, porties, personen, porções, makes, serves',
  ],
  [
    'prepTime',
    'zubereitungszeit, vorbereitungszeit, arbeitszeit küche, préparation, temps de préparation, preparación, tiempo de preparación, preparazione, tempo di preparazione, voorbereidingstijd, tempo de preparo, preparation time',
  ],
  [
    'cookTime',
    'kochzeit, backzeit, garzeit, koch backzeit, cuisson, temps de cuisson, cocción, tiempo de cocción, cottura, tempo di cottura, kooktijd, baktijd, tempo de cozimento, baking time, cooking time',
  ],
  ['totalTime', 'gesamtzeit, temps total, tiempo total, tempo totale, totale tijd, tempo total'],
  [
    'difficulty',
    'schwierigkeit, schwierigkeitsgrad, difficulté, dificultad, difficoltà, moeilijkheid, dificuldade, skill level, difficulty level',
  ],
  [
    'calories',
    'kalorien, brennwert, energie kcal, calorie, calorías, calorieën, calorias, energy kcal',
  ],
  ['cuisine', 'küche, cocina, cucina, keuken, cozinha'],
  // Homes
  [
    'rooms',
    'zimmer, zimmeranzahl, anzahl zimmer, räume, pièces, nombre de pièces, habitaciones, ambientes, locali, kamers, number of rooms',
  ],
  [
    'bedrooms',
    'schlafzimmer, chambres, nombre de chambres, dormitorios, camere da letto, slaapkamers, quartos, bedroom',
  ],
  [
    'bathrooms',
    'badezimmer, bäder, salles de bain, salles de bains, baños, bagni, badkamers, banheiros, bathroom',
  ],
  [
    'area',
    'wohnfläche, fläche, surface, surface habitable, superficie, superficie útil, metros cuadrados, superficie abitabile, oppervlakte, woonoppervlakte, área, living space, floor space, size of the home, square footage',
  ],
  [
    'yearBuilt',
    'built, built in, year of construction, construction year, baujahr, année de construction, construit en, année construction, año de construcción, anno di costruzione, bouwjaar, ano de construção',
  ],
  ['floor', 'etage, stockwerk, geschoss, étage, planta, piso, piano, verdieping, andar'],
  [
    'energyClass',
    'energy rating, epc, epc rating, energieeffizienzklasse, energieklasse, energieausweis klasse, classe énergie, classe énergétique, dpe, clase energética, calificación energética, certificado energético, classe energetica, energielabel',
  ],
  [
    'availableFrom',
    'available, availability date, move in, move in date, bezugsfrei, bezugsfrei ab, verfügbar ab, frei ab, disponible, disponible à partir du, disponible le, libre le, disponible desde, disponible a partir del, disponibile dal, beschikbaar vanaf, date available',
  ],
  [
    'city',
    'stadt, ort, wohnort, ville, commune, ciudad, localidad, población, municipio, città, comune, stad, woonplaats, cidade',
  ],
  ['postalCode', 'plz, postleitzahl, code postal, código postal, cp, cap, postcode, zip code'],
  ['country', 'land, pays, país, paese'],
  ['region', 'bundesland, kanton, région, département, comunidad autónoma, provincia, regione'],
  ['address', 'adresse, anschrift, dirección, indirizzo, adres, endereço, postal address'],
  ['street', 'straße, rue, calle, via, straat, rua'],
  [
    'agent',
    'makler, maklerin, agent immobilier, agente, agente inmobiliario, makelaar, estate agent',
  ],
  // People
  [
    'jobTitle',
    'position, funktion, berufsbezeichnung, beruf, poste, fonction, profession, métier, cargo, puesto, profesión, ruolo, professione, functie, beroep, role, occupation',
  ],
  [
    'organization',
    'organisation, institution, organización, institución, organizzazione, instelling',
  ],
  [
    'email',
    'e mail adresse, courriel, adresse e mail, correo, correo electrónico, posta elettronica, e mailadres, mail',
  ],
  [
    'phone',
    'telefon, telefonnummer, fon, téléphone, tél, numéro de téléphone, teléfono, telefono, telefoon, telefone, mobil, handy',
  ],
  ['fax', 'telefax, faxnummer, télécopie'],
  [
    'website',
    'webseite, homepage, internet, site web, site internet, sitio web, página web, sito web, web',
  ],
  [
    'birthDate',
    'born, date of birth, birthday, geburtsdatum, geboren, geboren am, date de naissance, né, née, né le, née le, fecha de nacimiento, nacimiento, data di nascita, geboortedatum, data de nascimento',
  ],
  [
    'birthPlace',
    'place of birth, geburtsort, lieu de naissance, lugar de nacimiento, luogo di nascita',
  ],
  [
    'nationality',
    'citizenship, staatsangehörigkeit, nationalität, staatsbürgerschaft, nationalité, nacionalidad, nazionalità, nationaliteit, nacionalidade',
  ],
];

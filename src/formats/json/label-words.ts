/** English names for what labels on pages say. */
import { labelTable } from './label-table.ts';
import { fold } from './names.ts';

/** What pages call the things they list. */
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

/** The folded English name of a folded label, or the label itself where it is no known word. */
export function englishName(folded: string): string {
  return names.get(folded) ?? folded;
}

const prepositions =
  /\s+(?:on|at|in|from|by|am|ab|um|seit|bis|zum|le|la|du|à|en|el|del|de|em|il|dal|op|vanaf)$/iu;

/** A label without the preposition that leads to its value: `Posted on`, `Publiée le`. */
export function withoutPreposition(label: string): string {
  return label.replace(prepositions, '');
}

/** Documents in the shape of the SDK. */
import type { ActionResults } from '../../browser/actions/action-types.ts';
import type { Product } from '../../extract/product/product.ts';
import type { AttributeValues } from '../../content/formats/attributes.ts';
import type { Highlight } from '../../content/formats/highlights/passages.ts';
import type { PageAnswer } from '../../content/formats/question/find-quotes.ts';
import type { Branding } from '../../core/model/branding.ts';
import type { Metadata } from '../../core/model/document.ts';
import { brandingProfile, type BrandingProfile } from './branding-profile.ts';
import { productProfile, type ProductProfile } from './product-profile.ts';

/** Facts of the fetch and of the page. Every meta tag is there by its own name. */
export type DocumentMetadata = Partial<Metadata>;

/** A page, with the formats that were asked for. Fields of the service that never have a value here are left out. */
export interface Document {
  markdown?: string;
  html?: string;
  rawHtml?: string;
  rawBase64?: string;
  json?: unknown;
  summary?: string;
  metadata?: DocumentMetadata;
  links?: string[];
  images?: string[];
  /** A `data:` URI, or what the client's `assets` returned. */
  screenshot?: string;
  attributes?: AttributeValues[];
  actions?: Record<string, unknown>;
  /** The answer to the question; absent where the page does not have it. */
  answer?: string;
  /** The passages that fit the query, with an empty line between them. */
  highlights?: string;
  warning?: string;
  changeTracking?: Record<string, unknown>;
  branding?: BrandingProfile;
  product?: ProductProfile;
}

/** A document of pagewright whose formats are not known at compile time. */
interface OwnDocument {
  readonly metadata: Metadata;
  readonly question?: PageAnswer;
  readonly highlights?: readonly Highlight[];
  readonly branding?: Branding;
  readonly product?: Product | null;
  readonly changeTracking?: object;
  readonly actions?: ActionResults;
}

/** The document of the SDK. Formats of your own, and formats that the SDK lacks, are included unchanged. */
export function toDocument(document: object): Document {
  const { question, highlights, branding, product, changeTracking, actions, ...same } =
    document as OwnDocument;
  return {
    ...same,
    ...(typeof question?.answer === 'string' ? { answer: question.answer } : {}),
    ...(highlights === undefined
      ? {}
      : { highlights: highlights.map(({ text }) => text).join('\n\n') }),
    ...(branding === undefined ? {} : { branding: brandingProfile(branding) }),
    ...(product === undefined || product === null ? {} : { product: productProfile(product) }),
    ...(changeTracking === undefined ? {} : { changeTracking: { ...changeTracking } }),
    ...(actions === undefined ? {} : { actions: { ...actions } }),
  };
}

/** URLs as used by telemetry. */
import { withoutCredentials } from '../url/links.ts';

/** The URL without user name and password, and without signatures in its query. */
export function displayUrl(url: string): string {
  return withoutSignatures(withoutCredentials(url));
}

/** A text with the signatures of URLs, even of URLs in URLs, as `REDACTED`. */
export function withoutSignatures(text: string): string {
  return /\?|%3f/i.test(text) ? text.replace(signatures, '$1REDACTED') : text;
}

/** The parameters that OpenTelemetry redacts in `url.full`, and those of S3. */
const signatures =
  /((?:[?&]|%(?:25)*(?:3f|26))(?:AWSAccessKeyId|Signature|sig|X-Goog-Signature|X-Amz-(?:Signature|Credential|Security-Token))(?:=|%(?:25)*3d))(?:(?!%(?:25)*26)[^&#\s])*/gi;

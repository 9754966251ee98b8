/** Runs in the page of a report: unpacks its data. */
import type { ReportData } from '../report-data.ts';

export async function openReport(packed: string): Promise<ReportData> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return (await new Response(unpacked).json()) as ReportData;
}

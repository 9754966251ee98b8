/** Regular expressions that match in linear time for any text. */
import { RE2JS } from 're2js';

/**
 * Compiles a pattern for RE2; undefined for features that RE2 lacks: look-around, back references, the
 * flags u and v.
 */
export function compileLinear(source: string, flags: string): RE2JS | undefined {
  if (/[uv]/.test(flags)) return undefined;
  try {
    const modes =
      (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
      (flags.includes('m') ? RE2JS.MULTILINE : 0) |
      (flags.includes('s') ? RE2JS.DOTALL : 0);
    return RE2JS.compile(source, modes);
  } catch {
    return undefined;
  }
}

/**
 * The decoder of the Encoding standard. That of Node 20 is wrong for 27 bytes of windows-1252, such as
 * curly quotes and the euro sign, and for some of windows-874, koi8-u and others. Costly to import (20 ms).
 */
export { TextDecoder } from '@exodus/bytes/encoding.js';

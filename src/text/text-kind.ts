/** What a text is, where that decides how its encoding may be declared. */
export type TextKind = 'html' | 'xml' | 'text' | 'json';

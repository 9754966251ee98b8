/** The elements of formulas (MathML Core and what office programs write) that are passed on. */
export const mathElements: ReadonlySet<string> = new Set(
  (
    'math mi mn mo ms mtext mspace mrow mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mfenced ' +
    'mstyle mpadded mphantom merror semantics'
  ).split(' '),
);

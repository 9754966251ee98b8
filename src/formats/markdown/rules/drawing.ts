/** `svg`. */
import { type DomElement, isElement } from '../../../html/dom.ts';
import { nextNode } from '../../../html/nodes.ts';
import { blockElements } from '../block-elements.ts';
import type { Rule } from '../emitter.ts';

/**
 * The HTML in its `foreignObject` elements, which is how diagrams write their labels: line by line, from
 * left to right. What is drawn as `<text>` is part of the picture and left out with it.
 */
export const drawing: Rule = (svg, out) => {
  const labels = labelsOf(svg);
  const [only] = labels;
  if (only !== undefined && labels.length === 1 && !hasBlocks(only)) {
    out.children(only);
  } else {
    for (const label of labels) out.paragraph(label);
  }
};

/** Where the coordinates of an element begin, and how large they are. */
interface Frame {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

interface Label {
  readonly element: DomElement;
  /** Of its middle. */
  readonly x: number;
  readonly y: number;
}

/** Units of the drawing by which the middles of labels on one line may differ. */
const lineTolerance = 8;

/** In reading order; that of the document where the drawing does not say where they stand. */
function labelsOf(svg: DomElement): DomElement[] {
  const frames = new Map<DomElement | null, Frame>();
  const labels: Label[] = [];
  for (let node = nextNode(svg, svg); node !== null;) {
    let skip = false;
    if (isElement(node)) {
      const name = node.localName.toLowerCase();
      const isLabel = name === 'foreignobject';
      skip = isLabel || undrawn.has(name) || isUndrawn(node);
      const frame = frameOf(node, frames.get(node.parentElement) ?? origin);
      if (!skip) frames.set(node, frame);
      else if (isLabel && !isUndrawn(node)) labels.push(labelOf(node, frame));
    }
    node = nextNode(node, svg, skip);
  }
  labels.sort((a, b) => a.y - b.y);
  return linesOf(labels).flatMap((line) =>
    line.sort((a, b) => a.x - b.x).map(({ element }) => element),
  );
}

function linesOf(labels: readonly Label[]): Label[][] {
  const lines: Label[][] = [];
  let top = -Infinity;
  for (const label of labels) {
    const line = lines.at(-1);
    if (line !== undefined && label.y - top <= lineTolerance) {
      line.push(label);
    } else {
      lines.push([label]);
      top = label.y;
    }
  }
  return lines;
}

const origin: Frame = { x: 0, y: 0, scaleX: 1, scaleY: 1 };

/** Elements that are drawn where others refer to them. */
const undrawn: ReadonlySet<string> = new Set(
  'clippath defs lineargradient marker mask metadata pattern radialgradient symbol'.split(' '),
);

function isUndrawn(element: DomElement): boolean {
  return (
    element.getAttribute('display') === 'none' || element.getAttribute('visibility') === 'hidden'
  );
}

/** Rotation is left out: it does not move what a group is placed by. */
function frameOf(element: DomElement, around: Frame): Frame {
  let { x, y, scaleX, scaleY } = around;
  const move = (right: number, down: number): void => {
    x += right * scaleX;
    y += down * scaleY;
  };
  const transform = (element.getAttribute('transform') ?? '').slice(0, 500);
  for (const [, name = '', list = ''] of transform.matchAll(/([a-z]+)\s*\(([^()]*)\)/gi)) {
    const values = list
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const [first = 0, second] = values;
    if (!values.every(Number.isFinite)) continue;
    if (name === 'translate') {
      move(first, second ?? 0);
    } else if (name === 'scale') {
      scaleX *= first;
      scaleY *= second ?? first;
    } else if (name === 'matrix') {
      const [, , , down = 1, right = 0, below = 0] = values;
      move(right, below);
      scaleX *= first;
      scaleY *= down;
    }
  }
  move(lengthOf(element, 'x'), lengthOf(element, 'y'));
  return { x, y, scaleX, scaleY };
}

/** Some editors let a label fill the drawing and move the box inside by its margins. */
function labelOf(element: DomElement, { x, y, scaleX, scaleY }: Frame): Label {
  const style = element.firstElementChild?.getAttribute('style') ?? '';
  const right =
    pixelsOf(style, 'margin-left') + (lengthOf(element, 'width') || pixelsOf(style, 'width')) / 2;
  const down = pixelsOf(style, 'padding-top') + lengthOf(element, 'height') / 2;
  return { element, x: x + right * scaleX, y: y + down * scaleY };
}

/** 0 where it is not given, or as a share of what is around. */
function lengthOf(element: DomElement, name: string): number {
  const [, digits = '0'] =
    /^\s*(-?\d{1,9}(?:\.\d{1,9})?)(?:px)?\s*$/.exec(element.getAttribute(name) ?? '') ?? [];
  return Number(digits);
}

function pixelsOf(style: string, property: string): number {
  const [, digits = '0'] =
    new RegExp(`(?:^|[;\\s])${property}\\s*:\\s*(-?\\d{1,9}(?:\\.\\d{1,9})?)px`).exec(style) ?? [];
  return Number(digits);
}

function hasBlocks(label: DomElement): boolean {
  for (let node = nextNode(label, label); node !== null; node = nextNode(node, label)) {
    if (isElement(node) && (blockElements.has(node.localName) || node.localName === 'br'))
      return true;
  }
  return false;
}

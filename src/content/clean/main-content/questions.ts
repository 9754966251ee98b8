/** Keeps lists of questions and answers whole. */
import type { IndexSet } from './index-set.ts';
import type { MeasuredBlock } from './measure.ts';
import { ownProse } from './measure.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

/** Keeps questions of one shape with the text up to the next one; in an article, only if a part of them was chosen. */
export function keepQuestions({ paragraphs, facts }: MeasuredPage, retained: IndexSet): void {
  const isBeside = facts.isArticle && !facts.isProduct;
  const groups = new Map<number, Paragraph[]>();
  for (const paragraph of paragraphs) {
    if (!isQuestion(paragraph)) continue;
    const { shape } = paragraph.block;
    getOrInsert(groups, shape, () => []).push(paragraph);
  }
  for (const questions of groups.values()) {
    const { group } = questions[0] as Paragraph;
    if (questions.length < leastQuestions || questions.length < 0.6 * group.size) continue;
    const answers = questions.map((question, at) =>
      answerOf(question, questions[at + 1], paragraphs),
    );
    const answered = answers.filter((answer) => answer.some(({ block }) => ownProse(block) > 0));
    if (answered.length < 0.6 * questions.length) continue;
    const all = [...questions, ...answered.flat()];
    if (isBeside && !all.some(({ block }) => retained.has(block.index))) continue;
    for (const { block } of all) retained.add(block.index);
  }
}

const leastQuestions = 3;

function isQuestion({ block, isObvious }: Paragraph): boolean {
  const { own } = block;
  return (
    (own.last === 0x3f || own.last === 0xff1f || own.last === 0x61f) &&
    own.length <= 250 &&
    own.linked < 0.5 * own.length &&
    !isObvious
  );
}

function answerOf(
  { position, block }: Paragraph,
  next: Paragraph | undefined,
  paragraphs: readonly Paragraph[],
): Paragraph[] {
  const answer: Paragraph[] = [];
  const box = boxOf(block);
  for (let at = position + 1; at < paragraphs.length && answer.length < longestAnswer; at++) {
    const paragraph = paragraphs[at] as Paragraph;
    if (paragraph === next || paragraph.block.shape === block.shape) break;
    if (paragraph.block.index >= box.end) break;
    if (!paragraph.isObvious) answer.push(paragraph);
  }
  return answer;
}

/** The nearest box around a question that holds sentences. */
function boxOf(block: MeasuredBlock): MeasuredBlock {
  let box = block;
  while (box.parent !== undefined && box.prose === ownProse(block)) box = box.parent;
  return box;
}

const longestAnswer = 20; // paragraphs

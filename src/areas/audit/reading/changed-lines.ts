import { Injectable } from '@nestjs/common';
import { type DiffLine, type DiffRow, lineDiff, withContext } from '../../../engine/approvals/line-diff.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { lineCountOf, referTo, sameText, type Text, textsAt } from '../../../kernel/text/text.js';
import type { ChangedLinesShape } from './audit-answers.api.js';

/** Limits of the comparison. They are lower than for pending changes, because a list can contain many events. */
const longestSearchMs = 5;
const mostRows = 200;
/**
 * Lengths in characters. Two texts of one line each are not compared if neither is longer than `shortLine`. Lines
 * longer than `longestLine` are cut.
 */
const shortLine = 200;
const longestLine = 2_000;
/** Maximum size of each text, in bytes. Larger texts are not compared. */
const longestText = 256 * 1024;

@Injectable()
export class LinesOfChanges {
  constructor(private readonly texts: RecordTexts) {}

  /**
   * Returns an empty list if the event created or deleted the record.
   * @throws TextsUnavailable
   */
  async of(
    { texts: paths = [] }: RecordAggregate<Document, DomainEvent>,
    before: Document | undefined,
    after: Document | undefined,
  ): Promise<readonly ChangedLinesShape[]> {
    if (before === undefined || after === undefined) return [];
    const pairs = paths.flatMap((path) => {
      const [to] = textsAt([path], after);
      const from = textsAt([path], before)[0] ?? draftOrigin(path, paths, before);
      return to === undefined || from === undefined || sameText(from, to) || isShown(from, to)
        ? []
        : [{ path, from, to }];
    });
    if (pairs.length === 0) return [];
    const read = await this.texts.read(
      after.workspaceId,
      pairs.flatMap(({ from, to }) => [from, to]),
    );
    return pairs.map(({ path, from, to }) => changed(path, read(from), read(to)));
  }
}

function draftOrigin(path: string, paths: readonly string[], before: Document): Text | undefined {
  const name = path.split('.').at(-1);
  return name === undefined || !paths.includes(name) ? undefined : textsAt([name], before)[0];
}

function isShown(from: Text, to: Text): boolean {
  const isShort = (text: Text) => lineCountOf(text) <= 1 && text.length <= shortLine;
  const bytes = (text: Text) => (typeof text === 'string' ? referTo(text) : text).bytes;
  return (isShort(from) && isShort(to)) || bytes(from) > longestText || bytes(to) > longestText;
}

function changed(path: string, from: string, to: string): ChangedLinesShape {
  const lines = lineDiff(from, to, longestSearchMs);
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  const rows = withContext(lines);
  const left = rows.length - mostRows;
  return {
    path,
    added: count('added'),
    removed: count('removed'),
    rows: rows.slice(0, mostRows).map(cut),
    ...(left > 0 ? { rowsLeftOut: left } : {}),
  };
}

const cut = (row: DiffRow): DiffRow =>
  row.kind === 'left-out' || row.text.length <= longestLine
    ? row
    : { ...row, text: `${row.text.slice(0, longestLine)}…` };

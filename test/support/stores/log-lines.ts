import { createHash } from 'node:crypto';
import {
  blobLine,
  type EventLine,
  entryLine,
  guard,
  type HeaderLine,
  type LogFileLine,
  logEventLine,
  textLine,
} from '../../../src/cli/transfer/log-line.js';
import { derivedUuid } from '../../../src/kernel/event/derived-id.js';

export const header: HeaderLine = {
  line: 'header',
  format: 'countersign-log-3',
  workspaceId: null,
  exportedAt: '2026-01-02T03:04:05.678Z',
  upTo: 41,
  keyCheck: 'ab'.repeat(32),
};
export const eventOf = (stream: string, revision: number, data: object = {}, metadata: object = {}): EventLine =>
  logEventLine({ stream, revision, id: derivedUuid(`${stream}/${revision}`), type: 'Noted', data, metadata });
const entryOf = (name: string, expiresAt?: number) =>
  entryLine({
    name,
    sealedKey: Buffer.from('sealed key'),
    sealedValue: Buffer.from('sealed value'),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
export const small: readonly LogFileLine[] = [
  { line: 'pruned', stream: 'run-ws_1.fn_1', keptFrom: 7 },
  eventOf('note-ws_1.a', 0, { text: 'ä \u2028 \r 🖋' }),
  eventOf('run-ws_1.fn_1', 7),
  eventOf('note-ws_1.a', 1),
  entryOf('webhook-token/ws_1/wh_1'),
  entryOf('webhook-token/ws_1/wh_2', 1_767_000_000_000),
  blobLine({ name: 'inbound-mail/ws_1/hook_1/mail_1', sealed: Buffer.from('a mail'), putAt: 1_767_000_000_000 }),
  textLine({ workspaceId: 'ws_1', digest: 'cd'.repeat(32), base: null, packed: Buffer.from('packed') }),
  textLine({ workspaceId: 'ws_1', digest: 'ef'.repeat(32), base: 'cd'.repeat(32), packed: Buffer.from('packed') }),
];
export const textsOf = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line));
/** Makes an end line whose counts and digests match these lines. */
export function forgedEnd(lines: readonly object[], counts: object): object {
  const digest = createHash('sha256').update(lines.map((line) => `${guard(JSON.stringify(line))}\n`).join(''));
  const events = createHash('sha256');
  for (const line of lines) if ('revision' in line) events.update(`${JSON.stringify(line)}\n`);
  return {
    line: 'end',
    pruned: 0,
    events: 0,
    entries: 0,
    blobs: 0,
    texts: 0,
    ...counts,
    eventsDigest: events.digest('hex'),
    digest: digest.digest('hex'),
  };
}

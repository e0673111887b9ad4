import { readSync, writeSync } from 'node:fs';
import { INPUT_FD, OUTPUT_FD } from '../../../sandbox/descriptors.js';
import { encodeFrame } from '../../../sandbox/frames.js';
import { attachmentOf, parseMail } from './parse-mail.js';
import { asks, headBytes, type ParseAnswer } from './parse-protocol.js';

/**
 * This file is a child process that parses one mail at a time. It waits in a blocking read, which ends when the parent
 * ends, so that the child ends too. A mail that exhausts time or memory ends only this process.
 */
function send(answer: ParseAnswer): void {
  const frame = encodeFrame(JSON.stringify(answer));
  for (let at = 0; at < frame.length; ) at += writeSync(OUTPUT_FD, frame, at);
}

function read(count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(count);
  for (let at = 0; at < count; ) {
    const got = readSync(INPUT_FD, bytes, at, count - at, null);
    if (got === 0) return undefined;
    at += got;
  }
  return bytes;
}

async function answer(kind: number, index: number, raw: Buffer): Promise<ParseAnswer> {
  try {
    return kind === asks.attachment ? await attachmentOf(raw, index) : await parseMail(raw);
  } catch {
    return { t: 'unparsable', why: 'It is not a valid mail.' };
  }
}

send({ t: 'ready' });
for (let head = read(headBytes); head; head = read(headBytes)) {
  const raw = read(head.readUInt32BE(0));
  if (raw === undefined) break;
  send(await answer(head.readUInt8(4), head.readUInt16BE(5), raw));
}
process.exit(0);

// A second implementation of the export's format, written only from its documentation
// (src/areas/audit/chain-format.md). It shares nothing with the service but Node's SHA-256 and Ed25519. It uses plain
// loops over bytes, and returns errors as texts.
import * as crypto from 'node:crypto';

function sha(bytes: Uint8Array): string {
  return crypto.createHash('sha256').update(bytes).digest('hex');
}

const escapes = new Map([8, 9, 10, 12, 13, 34, 92].map((unit, at) => [unit, `\\${'btnfr"\\'[at]}`]));

function appendText(out: string[], text: string): void {
  out.push('"');
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const next = text.charCodeAt(i + 1);
    const isPair = unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000;
    const isHalf = unit >= 0xd800 && unit < 0xe000 && !isPair;
    if (isPair) out.push(text.slice(i, ++i + 1));
    else if (unit < 32 || isHalf || unit === 34 || unit === 92) {
      out.push(escapes.get(unit) ?? `\\u${unit.toString(16).padStart(4, '0')}`);
    } else out.push(text.charAt(i));
  }
  out.push('"');
}

function compareUnits(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
  }
  return a.length - b.length;
}

/** Headers, ends and texts contain no numbers other than counts. */
function appendValue(out: string[], value: unknown): void {
  if (typeof value === 'string') appendText(out, value);
  else if (typeof value !== 'object' || value === null) out.push(String(value));
  else if (Array.isArray(value)) {
    out.push('[');
    for (let i = 0; i < value.length; i++) {
      if (i > 0) out.push(',');
      appendValue(out, value[i]);
    }
    out.push(']');
  } else {
    const members = new Map(Object.entries(value));
    out.push('{');
    for (const name of [...members.keys()].sort(compareUnits)) {
      if (out.at(-1) !== '{') out.push(',');
      appendText(out, name);
      out.push(':');
      appendValue(out, members.get(name));
    }
    out.push('}');
  }
}

function canonical(value: unknown): Buffer {
  const out: string[] = [];
  appendValue(out, value);
  return Buffer.from(out.join(''), 'utf8');
}

// biome-ignore lint/suspicious/noExplicitAny: the fields are compared one by one below.
function parsed(line: Buffer | undefined, names: string): any {
  try {
    const value = JSON.parse(String(line));
    return Object.keys(value).join() === names && canonical(value).equals(line ?? Buffer.of()) ? value : {};
  } catch {
    return {};
  }
}

/** Returns '' if the file is intact, or otherwise what is wrong with it. */
export function verifyExport(file: Uint8Array): string {
  const lines: Buffer[] = [];
  for (let i = 0, from = 0; i < file.length; i++) {
    if (file[i] !== 10) continue;
    lines.push(Buffer.from(file.subarray(from, i)));
    from = i + 1;
  }
  if (lines.length < 2 || file[file.length - 1] !== 10) return 'cut off';
  const header = parsed(lines[0], 'format,from,line,publicKey,start,to,workspaceId');
  if (header.line !== 'header' || !/^countersign-audit-export-[12]$/.test(header.format)) return 'no header';
  let { count, head } = header.start;
  if (count === 0 && head !== sha(Buffer.from(`countersign-audit-1 ${header.workspaceId}`))) return 'wrong beginning';
  for (let i = 1; i < lines.length - 1; i++) {
    const line = lines[i] ?? Buffer.of();
    if (!line.subarray(0, 9).equals(Buffer.from('{"event":'))) {
      // Tests use no texts with lone surrogates, so `Buffer.from` encodes them correctly.
      const { text, digest } = parsed(line, 'digest,line,text');
      if (typeof text === 'string' && sha(Buffer.from(text)) === digest) continue;
      return `line ${i + 1} is not the text of its digest`;
    }
    count++;
    const end = line.lastIndexOf(',"head":"');
    head = sha(Buffer.from(head + sha(line.subarray(9, end)), 'ascii'));
    const rest = `,"head":"${head}","line":"event","number":${count}}`;
    if (!line.subarray(end).equals(Buffer.from(rest))) return `line ${i + 1} breaks the chain`;
  }
  const end = parsed(lines.at(-1), 'head,line');
  if (end.line !== 'end') return 'no end';
  const { signature, ...signed } = end.head;
  if (signed.format !== 'countersign-audit-head-1' || signed.workspaceId !== header.workspaceId) return 'wrong end';
  if (signed.count !== count || signed.head !== head) return 'the end is of other events';
  if (!canonical(signed.previous).equals(canonical(header.start))) return 'wrong start';
  if (signed.header !== sha(lines[0] ?? Buffer.of())) return 'the header was changed';
  if (signed.publicKey !== header.publicKey) return 'two keys';
  const prefix = Buffer.from('302a300506032b6570032100', 'hex');
  const der = Buffer.concat([prefix, Buffer.from(signed.publicKey, 'base64url')]);
  const key = crypto.createPublicKey({ key: der, format: 'der', type: 'spki' });
  const isRight = crypto.verify(null, canonical(signed), key, Buffer.from(signature, 'base64url'));
  return isRight ? '' : 'the signature is wrong';
}

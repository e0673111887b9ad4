// A second implementation of the export's format, made from its page alone (src/areas/audit/README.md): it shares
// nothing with the service but Node's SHA-256 and Ed25519. Plain loops over bytes, errors as returned texts.
import * as crypto from 'node:crypto';

function sha(bytes: Uint8Array): string {
  return crypto.createHash('sha256').update(bytes).digest('hex');
}

function appendText(out: string[], text: string): void {
  out.push('"');
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const letter = text.charAt(i);
    const named = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\' }[unit];
    const isHigh = unit >= 0xd800 && unit < 0xdc00;
    const isLow = unit >= 0xdc00 && unit < 0xe000;
    const next = text.charCodeAt(i + 1);
    if (named !== undefined) out.push(named);
    else if (unit < 32) out.push(`\\u${unit.toString(16).padStart(4, '0')}`);
    else if (isHigh && next >= 0xdc00 && next < 0xe000) out.push(letter + text.charAt(++i));
    else if (isHigh || isLow) out.push(`\\u${unit.toString(16)}`);
    else out.push(letter);
  }
  out.push('"');
}

function compareUnits(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
  }
  return a.length - b.length;
}

function appendValue(out: string[], value: unknown): void {
  if (value === null || typeof value === 'boolean') out.push(String(value));
  else if (typeof value === 'number') out.push(value === 0 ? '0' : String(value));
  else if (typeof value === 'string') appendText(out, value);
  else if (Array.isArray(value)) {
    out.push('[');
    for (let i = 0; i < value.length; i++) {
      if (i > 0) out.push(',');
      appendValue(out, value[i]);
    }
    out.push(']');
  } else {
    const members = new Map(Object.entries(value as object));
    const names = [...members.keys()].sort(compareUnits);
    out.push('{');
    for (let i = 0; i < names.length; i++) {
      if (i > 0) out.push(',');
      appendText(out, names[i] as string);
      out.push(':');
      appendValue(out, members.get(names[i] as string));
    }
    out.push('}');
  }
}

function canonical(value: unknown): Buffer {
  const out: string[] = [];
  appendValue(out, value);
  return Buffer.from(out.join(''), 'utf8');
}

function isSignedBy(publicKey: string, signed: Uint8Array, signature: string): boolean {
  const prefix = Buffer.from('302a300506032b6570032100', 'hex');
  const der = Buffer.concat([prefix, Buffer.from(publicKey, 'base64url')]);
  const key = crypto.createPublicKey({ key: der, format: 'der', type: 'spki' });
  return crypto.verify(null, signed, key, Buffer.from(signature, 'base64url'));
}

/** Answers '' for a whole file, or what is wrong with it. */
export function verifyExport(file: Uint8Array): string {
  const lines: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < file.length; i++) {
    if (file[i] !== 10) continue;
    lines.push(Buffer.from(file.subarray(from, i)));
    from = i + 1;
  }
  if (from !== file.length || lines.length < 2) return 'cut off';
  // biome-ignore lint/suspicious/noExplicitAny: the fields are compared one by one below.
  const values: any[] = [];
  for (const line of lines) {
    try {
      const value = JSON.parse(line.toString('utf8'));
      if (!canonical(value).equals(line)) return `line ${values.length + 1} is not canonical`;
      values.push(value);
    } catch {
      return `line ${values.length + 1} is not JSON`;
    }
  }
  const header = values[0];
  const end = values[values.length - 1];
  const hasTexts = header.format === 'countersign-audit-export-2';
  if (header.line !== 'header' || !(hasTexts || header.format === 'countersign-audit-export-1')) return 'no header';
  let count = header.start.count;
  let head = header.start.head;
  if (count === 0 && head !== sha(Buffer.from(`countersign-audit-1 ${header.workspaceId}`))) return 'wrong beginning';
  for (let i = 1; i < values.length - 1; i++) {
    const { line, number, event } = values[i];
    if (hasTexts && line === 'text') {
      // None of the texts of these tests has a lone surrogate.
      if (sha(Buffer.from(values[i].text)) !== values[i].digest) return `line ${i + 1} is not the text of its digest`;
      continue;
    }
    count++;
    head = sha(Buffer.from(head + sha(canonical(event)), 'ascii'));
    if (line !== 'event' || number !== count || values[i].head !== head) return `line ${i + 1} breaks the chain`;
  }
  if (end.line !== 'end') return 'no end';
  const { signature, ...signed } = end.head;
  if (signed.format !== 'countersign-audit-head-1' || signed.workspaceId !== header.workspaceId) return 'wrong end';
  if (signed.count !== count || signed.head !== head) return 'the end is of other events';
  if (signed.previous.count !== header.start.count || signed.previous.head !== header.start.head) return 'wrong start';
  if (signed.header !== sha(lines[0] as Buffer)) return 'the header was changed';
  if (signed.publicKey !== header.publicKey) return 'two keys';
  return isSignedBy(signed.publicKey, canonical(signed), signature) ? '' : 'the signature is wrong';
}

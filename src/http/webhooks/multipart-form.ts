import { setImmediate } from 'node:timers/promises';
import busboy from 'busboy';
import { asFileName, asOneLine } from '../../kernel/text/one-line.js';
import { bodyLimit, deliveredFilesLimit } from '../body.js';
import { refuse } from '../http.refusals.js';

export interface FormFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export type FormPart = readonly [field: string, value: string | FormFile];

const mostParts = 1_000;
const mostFiles = 100;
const longestName = 1_000;
/** Bytes parsed in one turn of the event loop, so that other work is not delayed. */
const sliceBytes = 64 * 1024;

const causes: Readonly<Record<string, string>> = {
  'Multipart: Boundary not found': 'its Content-Type names no boundary',
  'Malformed content type': 'its Content-Type is malformed',
  'Malformed part header': 'the header of a part is malformed',
  'Unexpected end of form': 'it ends before its last boundary',
  'Unexpected end of file': 'it ends in the middle of a file',
};

/**
 * File names are reduced to one line without folders.
 * @throws Refusal form-malformed, form-too-large
 */
export async function readForm(contentType: string, body: Uint8Array): Promise<readonly FormPart[]> {
  const parts: (readonly [string, string | PendingFile])[] = [];
  const sums = { fields: 0, files: 0, fileBytes: 0 };
  const parser = parserFor(contentType);
  const trouble: { why?: () => never } = {};
  const fail = (why: () => never) => {
    trouble.why ??= why;
  };
  const isOneTooMany = (field: string | undefined): field is undefined => {
    if (parts.length >= mostParts) fail(() => tooLarge(`${mostParts} parts`));
    if (field === undefined) fail(() => malformed('a part has no name'));
    else if (field.length > longestName) fail(() => tooLarge(`${longestName} characters in the name of a field`));
    return trouble.why !== undefined;
  };
  parser.on('field', (field: string | undefined, value, { valueTruncated }) => {
    if (isOneTooMany(field)) return;
    sums.fields += Buffer.byteLength(field) + Buffer.byteLength(value);
    if (valueTruncated || sums.fields > bodyLimit) return fail(() => tooLarge(`${bodyLimit} bytes of fields`));
    parts.push([field, value]);
  });
  parser.on('file', (field: string | undefined, stream, { filename, mimeType }) => {
    // The parser also reports this error for the whole form, so it is ignored here.
    stream.on('error', () => undefined);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      sums.fileBytes += chunk.length;
      if (sums.fileBytes > deliveredFilesLimit) fail(() => tooLarge(`${deliveredFilesLimit} bytes of files`));
      else chunks.push(chunk);
    });
    if (isOneTooMany(field)) return;
    sums.files += 1;
    if (sums.files > mostFiles) return fail(() => tooLarge(`${mostFiles} files`));
    parts.push([field, { name: nameOf(filename), contentType: asOneLine(mimeType).slice(0, longestName), chunks }]);
  });
  const over = new Promise<void>((resolve) => {
    parser.once('close', resolve);
    parser.on('error', (error: Error) => {
      fail(() => malformed(causes[error.message]));
      resolve();
    });
  });
  for (let at = 0; at < body.length && trouble.why === undefined; at += sliceBytes) {
    parser.write(body.subarray(at, at + sliceBytes));
    await setImmediate();
  }
  if (trouble.why === undefined) parser.end();
  else parser.destroy();
  await over;
  trouble.why?.();
  return parts.map(([field, value]) => [field, typeof value === 'string' ? value : whole(value)]);
}

interface PendingFile {
  readonly name: string;
  readonly contentType: string;
  readonly chunks: Buffer[];
}

const whole = ({ name, contentType, chunks }: PendingFile): FormFile => ({
  name,
  contentType,
  bytes: Buffer.concat(chunks),
});

function parserFor(contentType: string): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      preservePath: true,
      limits: { fieldSize: bodyLimit + 1 },
    });
  } catch (error) {
    return malformed(error instanceof Error ? causes[error.message] : undefined);
  }
}

const nameOf = (filename: string | undefined) =>
  asFileName(filename ?? '')
    .slice(0, longestName)
    .toWellFormed();

const malformed = (cause = 'it is malformed'): never => refuse('form-malformed', { cause });
const tooLarge = (most: string): never => refuse('form-too-large', { most });

export interface Part {
  readonly name: string;
  readonly value: string | Uint8Array;
  readonly file?: string;
  readonly type?: string;
}

export const boundary = 'a-boundary';
export const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` };

/** Returns a body of the type multipart/form-data. */
export function formOf(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name, value, file, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n`,
    type === undefined ? '\r\n' : `Content-Type: ${type}\r\n\r\n`,
    value,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
}

/** Returns a mail in its form on the wire. */
export const mailOf = (headers: readonly string[], body = 'Hello.\r\n'): Buffer =>
  Buffer.from(`${headers.join('\r\n')}\r\n\r\n${body}`);

export const ordinary = (more: readonly string[] = []): readonly string[] => [
  'From: Ada <ada@example.com>',
  'To: orders@example.org',
  'Subject: An order',
  ...more,
];

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/.{1,76}/g, '$&\r\n');

export interface Enclosed {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Returns a mail with a text, the same text as HTML, and files. */
export function mailWith(files: readonly Enclosed[], more: readonly string[] = []): Buffer {
  const parts = [
    'Content-Type: text/plain; charset=utf-8\r\n\r\nTwo boxes, please. ✓',
    'Content-Type: text/html; charset=utf-8\r\n\r\n<p onclick="x()">Two boxes</p><script>alert(1)</script>',
    ...files.map(
      ({ name, type, bytes }) =>
        `Content-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\n` +
        `Content-Transfer-Encoding: base64\r\n\r\n${base64(bytes)}`,
    ),
  ];
  const body = parts.map((part) => `--frontier\r\n${part}\r\n`).join('');
  return mailOf(
    ordinary(['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=frontier', ...more]),
    `${body}--frontier--\r\n`,
  );
}

/** Returns a mail whose parts are nested this deep. */
export function nested(depth: number): Buffer {
  let body = 'Content-Type: text/plain\r\n\r\ndeep\r\n';
  for (let at = depth; at > 0; at -= 1) {
    body = `Content-Type: multipart/mixed; boundary=b${at}x\r\n\r\n--b${at}x\r\n${body}\r\n--b${at}x--\r\n`;
  }
  return Buffer.from(`${ordinary().join('\r\n')}\r\n${body}`);
}

export const manyAttachments = (count: number): Buffer =>
  mailWith(Array.from({ length: count }, (_, at) => ({ name: `${at}.txt`, type: 'text/plain', bytes: Buffer.of(65) })));

export const manyHeaders = (count: number): Buffer =>
  mailOf(ordinary(Array.from({ length: count }, (_, at) => `X-H${at}: ${at}`)));

export const deepGroup = (depth: number): Buffer =>
  mailOf(['From: ada@example.com', `To: ${'g:'.repeat(depth)}a@example.com${';'.repeat(depth)}`, 'Subject: Groups']);

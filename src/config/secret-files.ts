import { readFileSync, statSync } from 'node:fs';

type Raw = Readonly<Record<string, string | undefined>>;

/** Environment variables whose value may instead be in a file. `<name>_FILE` then contains the path of the file. */
export const secretSettings = [
  'MASTER_KEY',
  'BOOTSTRAP_OWNER_KEY',
  'EVENTSTOREDB_URL',
  'MONGODB_URL',
  'KAFKA_BROKERS',
  'ASSISTANT_KEY',
  'METRICS_TOKEN',
  'PLATFORM_MAIL_URL',
  'SOCIAL_PROVIDERS',
] as const;

const mostBytes = 100_000;

/**
 * Reads each secret that has a `<name>_FILE` variable from that file, without trailing line breaks. An empty variable
 * is treated as missing.
 * @throws Error with a sentence that names the variable and shows nothing of the file's content
 */
export function withSecretFiles(raw: Raw): Raw {
  const named = secretSettings.filter((name) => raw[`${name}_FILE`]);
  return { ...raw, ...Object.fromEntries(named.map((name) => [name, contentOf(raw, name)])) };
}

function contentOf(raw: Raw, name: string): string {
  const variable = `${name}_FILE`;
  if (raw[name]) throw new Error(`${name} and ${variable} are both set: remove one of them.`);
  const content = read(variable, raw[variable] ?? '').replace(/[\r\n]+$/, '');
  if (content === '') throw new Error(`${variable} refers to an empty file: put the value of ${name} into it.`);
  return content;
}

function read(variable: string, path: string): string {
  try {
    const { size } = statSync(path);
    if (size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `${variable} refers to a file that cannot be read (${code ?? message}): check its path and permissions.`,
    );
  }
}

import { getCACertificates } from 'node:tls';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Contains tokens, so it must never be logged or shown. */
export interface NpmSettings {
  /**
   * Options by their names in the npm team's packages: `registry`, `@scope:registry`, `//host/:_authToken`, `proxy` …
   */
  readonly options: Readonly<Record<string, unknown>>;
  readonly proxies: Readonly<Record<string, string>>;
  /** Certificates (PEM) of trusted authorities in addition to Node's own. */
  readonly authorities: readonly string[];
  readonly files: readonly string[];
}

/** A setting of the operator makes all registries unusable. */
export class NpmSettingsWrong extends Error {}

const usedSettings = new Set([
  'registry',
  'proxy',
  'httpsProxy',
  'noProxy',
  'ca',
  'cert',
  'key',
  'strictSSL',
  'localAddress',
  'maxSockets',
  'replaceRegistryHost',
  'before',
]);

/**
 * Reads the settings as npm does, but ignores a project's npmrc. Reads them each time, so that a new token needs no
 * restart.
 */
export async function readNpmSettings(variables: Variables): Promise<NpmSettings> {
  // Imported on first use, because loading it takes a tenth of the service's start.
  const { default: Config } = await import('@npmcli/config');
  const { default: known } = await import('@npmcli/config/lib/definitions/index.js');
  const argv = ['node', 'npm', '--global'];
  // Settings that some distributions store in npm's own folder are ignored, because this folder is unknown here.
  const npmPath = '/nonexistent';
  const env = { ...variables };
  const config = new Config({ ...known, npmPath, argv, env, warn: false });
  await config.load();
  const found = Object.entries(config.flat).filter(([name]) => usedSettings.has(name) || /^(?:@|\/\/)/.test(name));
  const options = Object.fromEntries(found);
  for (const [name, value] of found) if (isRegistry(name)) mustBeAddress(name, value);
  const bundled = new Set(getCACertificates('bundled'));
  return {
    options,
    proxies: Object.fromEntries(
      Object.entries(variables).flatMap(([name, value]) =>
        /^(?:https?_proxy|proxy|no_proxy)$/i.test(name) && value ? [[name, value]] : [],
      ),
    ),
    authorities: getCACertificates('default').filter((one) => !bundled.has(one)),
    files: found.flatMap(([name, value]) => (/:(?:certfile|keyfile)$/.test(name) ? [String(value)] : [])),
  };
}

const isRegistry = (name: string) => name === 'registry' || /^@.*:registry$/.test(name);

function mustBeAddress(name: string, value: unknown): void {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return;
  throw new NpmSettingsWrong(`npm's setting ${name} must be an http or https address`);
}

export function withoutSecrets({ options, proxies }: NpmSettings, text: string): string {
  const secrets = new Set<string>();
  for (const [name, value] of [...Object.entries(options), ...Object.entries(proxies)]) {
    if (typeof value !== 'string') continue;
    if (/:(?:_authToken|_auth|_password)$/.test(name)) for (const one of spellings(value)) secrets.add(one);
    const { username = '', password = '' } = URL.canParse(value) ? new URL(value) : {};
    for (const one of [username, password]) for (const spelling of [one, decoded(one)]) secrets.add(spelling);
  }
  const longestFirst = [...secrets].filter((one) => one !== '').sort((one, other) => other.length - one.length);
  return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/**
 * Returns the value and its decoded forms, because a registry can quote the base64 text of `_auth` or `_password` in
 * decoded form.
 */
function spellings(value: string): readonly string[] {
  const clear = Buffer.from(value, 'base64').toString('utf8');
  const isText = Buffer.from(clear, 'utf8').toString('base64') === value;
  return isText ? [value, clear, ...clear.split(':').slice(1)] : [value];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

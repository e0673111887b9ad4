export interface SocialProviderSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

type Raw = Readonly<Record<string, string | undefined>>;

const members = ['name', 'issuer', 'clientId', 'clientSecret'];
const most = 20;

/** @throws Error with a sentence that names the variable and shows no value */
export function readSocialProviders(raw: Raw): readonly SocialProviderSettings[] {
  const text = raw['SOCIAL_PROVIDERS'];
  if (!text) return [];
  const list = parsed(text);
  if (!Array.isArray(list) || list.length > most) fail(`must be a JSON array of at most ${most} providers`);
  const providers = (list as readonly unknown[]).map(provider);
  const names = new Set(providers.map(({ name }) => name));
  if (names.size < providers.length) fail('has two providers with the same name');
  return providers;
}

function provider(one: unknown, at: number): SocialProviderSettings {
  const where = `entry ${at + 1}`;
  if (typeof one !== 'object' || one === null || Array.isArray(one)) return fail(`${where} must be an object`);
  const fields = one as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((key) => !members.includes(key));
  if (unknown !== undefined) fail(`${where} has an unknown member; the members are ${members.join(', ')}`);
  const textAt = (member: string): string => {
    const value = fields[member];
    if (typeof value === 'string' && /^[\x20-\x7e]{1,2000}$/.test(value)) return value;
    return fail(`${where} requires ${member}, a string of printable ASCII characters`);
  };
  const name = textAt('name');
  if (!/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(name)) {
    fail(`${where} must have a name of at most 32 lower-case letters, digits and hyphens`);
  }
  // A path of the visitor API already has this name.
  if (name === 'exchange') fail(`${where} has a reserved name`);
  const issuer = URL.parse(textAt('issuer'));
  if (issuer === null || !isTrusted(issuer)) {
    fail(`${where} must have an https address as issuer; http is only for servers on this machine`);
  }
  return { name, issuer: issuer?.href ?? '', clientId: textAt('clientId'), clientSecret: textAt('clientSecret') };
}

function isTrusted({ protocol, hostname, username, password, search, hash }: URL): boolean {
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fail(what: string): never {
  throw new Error(`SOCIAL_PROVIDERS ${what}; see docker/README.md.`);
}

import { createHash, randomBytes } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import type { TestApp } from '../app.js';
import { PageClient, type PageReply } from '../sites/page-client.js';

export const redirectUri = 'http://127.0.0.1:4711/callback';

/** The OAuth state of a client, in memory. */
export class TestOAuthProvider implements OAuthClientProvider {
  readonly redirectUrl = redirectUri;
  client: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  verifier = '';
  /** URL to which the client sent the browser. */
  asked: URL | undefined;

  constructor(private readonly scope?: string) {}

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Test client',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(this.scope === undefined ? {} : { scope: this.scope }),
    };
  }

  state = () => 'the-state';
  clientInformation = () => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.client = client;
  };
  tokens = () => this.kept;
  saveTokens = (tokens: OAuthTokens) => {
    this.kept = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.asked = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
}

/** Returns a browser in which a person has signed in. */
export async function browserOf(app: TestApp, key = app.ownerKey): Promise<PageClient> {
  const browser = new PageClient(app);
  await browser.signIn(key);
  return browser;
}

/** Submits the consent page. The given fields replace those that are preselected on the page. */
export async function decide(
  browser: PageClient,
  asked: URL,
  fields: readonly (readonly [string, string])[] = [],
): Promise<PageReply> {
  const page = await browser.get(`${asked.pathname}${asked.search}`);
  const own = formFields(page.text).filter(([name]) => !fields.some(([said]) => said === name));
  const said = fields.some(([name]) => name === 'decision') ? fields : [...fields, ['decision', 'allow'] as const];
  const body = new URLSearchParams([...own, ...said].map(([name, value]): [string, string] => [name, value]));
  return browser.send('/oauth/authorize', body.toString());
}

/** Returns the URL to which the browser is redirected after a decision. */
export const ledTo = ({ headers }: PageReply): URL => new URL((headers.get('refresh') ?? '').replace(/^0; url=/, ''));

/** Returns the fields that a browser would send: hidden ones and checked ones. */
function formFields(text: string): (readonly [string, string])[] {
  const form = /<form[^>]*action="[^"]*\/oauth\/authorize"[\s\S]*?<\/form>/.exec(text)?.[0] ?? '';
  return [...form.matchAll(/<input ([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const of = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    const counts = of('type') === 'hidden' || / checked/.test(attributes);
    return counts ? [[of('name'), of('value').replaceAll('&amp;', '&').replaceAll('&#39;', "'")] as const] : [];
  });
}

/** Creates an authorisation request without the client library. Returns its URL and the verifier of its challenge. */
export function handMade(app: Pick<TestApp, 'url'>, clientId: string, more: Readonly<Record<string, string>> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const url = new URL(`${app.url}/oauth/authorize`);
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    ...more,
  };
  for (const [name, value] of Object.entries(params)) if (value !== '') url.searchParams.set(name, value);
  return { url, verifier };
}

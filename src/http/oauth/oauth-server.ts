import { Injectable } from '@nestjs/common';
import type OAuth2Server from '@node-oauth/oauth2-server';
import type { ApiKey } from '../../areas/workspace/api-key/api-key.record.js';
import { type ClientKey, ClientKeys } from '../../areas/workspace/api-key/client-keys.api.js';
import { Environment } from '../../config/environment.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Ids } from '../../ports/ids.port.js';
import { clientDigest, mayRedirect, OAuthClients } from './oauth-clients.js';
import { type CodeFacts, OAuthGrants } from './oauth-grants.js';
import { type OAuthScope, scopeWords } from './oauth-scopes.js';

export type Params = Readonly<Record<string, string>>;

export interface Consent {
  readonly allowed: boolean;
  readonly scope: OAuthScope;
  readonly neverDeletes: boolean;
}

export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Params;
  readonly body: object;
}

/**
 * Expiry date of all codes, because the library requires one. The vault enforces the real lifetime: it destroys expired
 * codes.
 */
const never = new Date(8.64e15);
const grants = ['authorization_code', 'refresh_token'];

const loaded = async () => (await import('@node-oauth/oauth2-server')).default;

@Injectable()
export class OAuthServer {
  constructor(
    private readonly clients: OAuthClients,
    private readonly codes: OAuthGrants,
    private readonly keys: ClientKeys,
    private readonly ids: Ids,
    private readonly environment: Environment,
  ) {}

  /**
   * Returns the address to which the browser is redirected. The caller must have checked the client and redirect
   * address in the query.
   */
  async decided({ keyId }: Caller, query: Params, consent: Consent): Promise<string> {
    const library = await loaded();
    const options = { model: this.model(library, query), allowEmptyState: true };
    const server = new library({ ...options, authenticateHandler: { handle: () => ({ consent, keyId }) } });
    const body = { allowed: String(consent.allowed) };
    const request = new library.Request({ headers: {}, method: 'POST', query: { ...query }, body });
    try {
      const { authorizationCode: code } = await server.authorize(request, new library.Response());
      return this.backTo(query, { code });
    } catch (error) {
      if (!(error instanceof library.OAuthError) || error instanceof library.ServerError) throw error;
      return this.backTo(query, { error: error.name, error_description: error.message });
    }
  }

  backTo({ redirect_uri: to = '', state }: Params, answer: Params): string {
    const url = new URL(to);
    const all = { ...answer, ...(state === undefined ? {} : { state }), iss: this.environment.baseUrl };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return url.href;
  }

  async token(headers: Params, body: Params): Promise<OAuthAnswer> {
    const library = await loaded();
    const server = new library({
      model: this.model(library, body),
      requireClientAuthentication: { authorization_code: false, refresh_token: false },
    });
    const request = new library.Request({ headers: { ...headers }, method: 'POST', query: {}, body: { ...body } });
    const response = new library.Response();
    try {
      await server.token(request, response);
    } catch (error) {
      // An OAuthError is already described in `response`. All other errors are faults of this service.
      if (!(error instanceof library.OAuthError) || error instanceof library.ServerError) throw error;
    }
    const { status = 200, headers: sent = {}, body: answer } = response;
    return { status, headers: sent, body: answer as object };
  }

  private model(library: typeof OAuth2Server, { client_id: clientId = '' }: Params): Model {
    const invalid = () => new library.InvalidGrantError('The code or token is unknown, expired, or was used before.');
    return {
      getClient: async (id) => {
        const client = this.clients.find(id);
        return client && { id, name: client.name, redirectUris: [...client.redirectUris], grants };
      },
      validateRedirectUri: async (uri, { id }) => {
        const client = this.clients.find(id);
        return client !== undefined && mayRedirect(client, uri);
      },
      validateScope: async (_, __, scope) => scope ?? [],
      generateAuthorizationCode: async () => this.ids.token(),
      saveAuthorizationCode: async (code, client, { consent, keyId }) => {
        const { authorizationCode, redirectUri, codeChallenge = '' } = code;
        const { scope, neverDeletes } = consent as Consent;
        const about = { clientId: client.id, clientName: String(client['name']), keyId: String(keyId) };
        await this.codes.store(authorizationCode, { ...about, redirectUri, codeChallenge, scope, neverDeletes });
        return { ...code, client, user: {} };
      },
      getAuthorizationCode: async (code) => {
        const facts = await this.codes.find(code);
        if (facts === undefined) return undefined;
        const { redirectUri, codeChallenge, scope } = facts;
        const challenge = { codeChallenge, codeChallengeMethod: 'S256' };
        const about = { client: { id: facts.clientId, grants }, user: { facts, code }, scope: [...scopeWords(scope)] };
        return { authorizationCode: code, expiresAt: never, redirectUri, ...challenge, ...about };
      },
      revokeAuthorizationCode: ({ authorizationCode }) => this.codes.claim(authorizationCode),
      getRefreshToken: async (refreshToken) => {
        const key = await this.keys.renewedBy(refreshToken);
        if (key?.clientId !== clientDigest(clientId)) return undefined;
        return { refreshToken, client: { id: clientId, grants }, user: { key, refreshToken } };
      },
      // Nothing to do here: `renewed` invalidates the old token in the step that issues the new one.
      revokeToken: async () => true,
      saveToken: async (_, client, { facts, code, key, refreshToken }) => {
        const made =
          key === undefined
            ? await this.codes.issue(String(code), facts as CodeFacts)
            : await this.renewed(key as ApiKey, String(refreshToken));
        if (made === undefined) throw invalid();
        return { ...tokensOf(made), scope: [...made.scope], client, user: {} };
      },
      getAccessToken: async () => undefined,
    };
  }

  private async renewed(key: ApiKey, refreshToken: string) {
    const made = await this.keys.renew(key, refreshToken);
    const { readOnly, areas } = key;
    return made && { ...made, scope: scopeWords({ readOnly, areas }) };
  }
}

type Model = OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel;

const tokensOf = ({ accessToken, refreshToken, expiresAt, refreshUntil }: ClientKey) => ({
  accessToken,
  accessTokenExpiresAt: new Date(expiresAt),
  refreshToken,
  refreshTokenExpiresAt: new Date(refreshUntil),
});

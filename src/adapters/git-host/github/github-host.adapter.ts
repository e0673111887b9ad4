import { isJsonObject, type Json } from '../../../kernel/json/json.js';
import { type Egress, EgressFailed, EgressRefused, type EgressResponse } from '../../../ports/network/egress.port.js';
import {
  GitHost,
  GitHostRefused,
  GitHostUnavailable,
  type HostedRepository,
  type RequestedRepository,
} from '../../../ports/network/git-host.port.js';

export interface GitHubOptions {
  readonly egress: Egress;
  /** Address without a slash at its end. */
  readonly url: string;
}

interface RequestOptions {
  readonly method?: string;
  readonly body?: Json;
  /** Error message if the host responds with the status 404 or 422. */
  readonly refused: string;
}

const perPage = 100;
const mostPages = 10;
/** A token with other characters was mistyped, so it is refused without a request. */
const tokenForm = /^[\x21-\x7e]+$/;

export class GitHubHost extends GitHost {
  constructor(private readonly options: GitHubOptions) {
    super();
  }

  override async repositories(token: string): Promise<readonly HostedRepository[]> {
    const found: HostedRepository[] = [];
    const refused = 'The host does not list the repositories for this token.';
    for (let page = 1; page <= mostPages; page++) {
      const some = await this.ask(token, `/user/repos?per_page=${perPage}&sort=full_name&page=${page}`, { refused });
      if (!Array.isArray(some)) throw notAnswered();
      found.push(...some.map(repositoryOf));
      if (some.length < perPage) break;
    }
    return found;
  }

  override async repository(token: string, owner: string, name: string): Promise<HostedRepository> {
    const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
    const refused = `The host has no repository ${owner}/${name}, or the token has no access to it.`;
    return repositoryOf(await this.ask(token, path, { refused }));
  }

  override async create(token: string, requested: RequestedRepository): Promise<HostedRepository> {
    const { name, isPrivate } = requested;
    const refused = `The host did not create a repository named ${name}; it may already exist.`;
    const description = descriptionOf(requested);
    const body = { name, private: isPrivate, auto_init: false, ...(description === null ? {} : { description }) };
    try {
      return repositoryOf(await this.ask(token, '/user/repos', { method: 'POST', body, refused }));
    } catch (error) {
      if (!(error instanceof GitHostRefused)) throw error;
      const earlier = description === null ? undefined : await this.createdBefore(token, requested, description);
      if (earlier === undefined) throw error;
      return earlier;
    }
  }

  private async createdBefore(
    token: string,
    { name, isPrivate }: RequestedRepository,
    description: string,
  ): Promise<HostedRepository | undefined> {
    try {
      const refused = 'The host shows no owner of the token.';
      const owner = await this.ask(token, '/user', { refused });
      const login = isJsonObject(owner) && typeof owner['login'] === 'string' ? owner['login'] : '';
      const path = `/repos/${encodeURIComponent(login)}/${encodeURIComponent(name)}`;
      const value = await this.ask(token, path, { refused });
      const found = repositoryOf(value);
      const isMarked = isJsonObject(value) && value['description'] === description;
      const isSame = found.name === name && found.owner === login && found.private === isPrivate;
      return isMarked && isSame ? found : undefined;
    } catch (error) {
      if (error instanceof GitHostRefused) return undefined;
      throw error;
    }
  }

  private async ask(token: string, path: string, { method = 'GET', body, refused }: RequestOptions): Promise<Json> {
    if (!tokenForm.test(token)) throw new GitHostRefused('The host does not accept the token.');
    const answer = await this.send(token, path, method, body);
    const { status } = answer;
    if (status === 200 || status === 201) return jsonOf(answer);
    if (status === 401) throw new GitHostRefused('The host does not accept the token.');
    if (status === 403)
      throw new GitHostRefused('The token does not have the necessary rights, or has reached its rate limit.');
    if (status === 404 || status === 422) throw new GitHostRefused(refused);
    throw new GitHostUnavailable(`The host responded with the status ${status}.`);
  }

  private async send(token: string, path: string, method: string, body: Json | undefined): Promise<EgressResponse> {
    try {
      return await this.options.egress.send({
        url: `${this.options.url}${path}`,
        method,
        headers: [
          ['Authorization', `Bearer ${token}`],
          ['Accept', 'application/vnd.github+json'],
          ['X-GitHub-Api-Version', '2022-11-28'],
          ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
        ],
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body), 'utf8'),
        followRedirects: method === 'GET',
      });
    } catch (error) {
      if (error instanceof EgressRefused) throw new GitHostRefused(error.message);
      if (error instanceof EgressFailed) throw new GitHostUnavailable(error.message);
      throw error;
    }
  }
}

/** The description carries the mark, because it is set by the request that creates the repository. */
const descriptionOf = ({ mark }: RequestedRepository) =>
  mark === undefined ? null : `Created with Countersign (${mark}).`;

function jsonOf({ body }: EgressResponse): Json {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as Json;
  } catch {
    throw notAnswered();
  }
}

function repositoryOf(value: Json): HostedRepository {
  if (!isJsonObject(value)) throw notAnswered();
  const { name, full_name: fullName, owner, private: isPrivate, default_branch: branch, clone_url: url } = value;
  const login = isJsonObject(owner) ? owner['login'] : undefined;
  if (typeof name !== 'string' || typeof fullName !== 'string' || typeof login !== 'string') throw notAnswered();
  if (typeof url !== 'string' || URL.parse(url)?.protocol !== 'https:') throw notAnswered();
  const defaultBranch = typeof branch === 'string' ? branch : 'main';
  return { name, fullName, owner: login, private: isPrivate === true, defaultBranch, url };
}

const notAnswered = () => new GitHostUnavailable('The response of the host is not valid.');

import {
  type Egress,
  EgressFailed,
  type EgressHeaders,
  EgressRefused,
  type EgressStream,
} from '../../../ports/network/egress.port.js';
import {
  type GitPush,
  GitRemote,
  type GitRemoteAddress,
  type GitRemoteRefs,
  GitRemoteRefused,
  GitRemoteUnavailable,
} from '../../../ports/network/git-remote.port.js';
import { gitLimits } from '../../../ports/offloaded/git-repositories.port.js';
import { flush, notGit, packetLine, packetLines } from './packet-lines.js';

type Service = 'git-upload-pack' | 'git-receive-pack';

interface Advertised extends GitRemoteRefs {
  readonly base: string;
}

const noSha = '0'.repeat(40);
const branchPrefix = 'refs/heads/';
const agent = 'agent=countersign';
const shaForm = /^[0-9a-f]{40}$/;
const mostHave = 200;
const limits = { timeoutMs: 120_000, responseBytes: 8 * 1024 * 1024, requestBytes: gitLimits.receivedBytes };
/** The response can be one percent larger than a pack, because of the framing around the pack. */
const packLimits = { ...limits, timeoutMs: 600_000, responseBytes: gitLimits.receivedBytes * 1.01 };

/** Uses version 0 of the protocol, which every server supports. */
export class SmartHttpRemote extends GitRemote {
  constructor(private readonly egress: Egress) {
    super();
  }

  override async refs(remote: GitRemoteAddress): Promise<GitRemoteRefs> {
    const { defaultBranch, branches } = await this.advertised(remote, 'git-upload-pack');
    return { defaultBranch, branches };
  }

  override async *fetch(remote: GitRemoteAddress, sha: string, have: readonly string[]): AsyncGenerator<Uint8Array> {
    const { base } = await this.advertised(remote, 'git-upload-pack');
    const body = Buffer.concat([
      packetLine(`want ${sha} ofs-delta side-band-64k no-progress ${agent}\n`),
      flush,
      ...have.slice(0, mostHave).map((one) => packetLine(`have ${one}\n`)),
      packetLine('done\n'),
    ]);
    const answer = await this.post({ ...remote, url: base }, 'git-upload-pack', body);
    try {
      yield* packIn(answer.body);
    } catch (error) {
      throw explained(error);
    } finally {
      answer.close();
    }
  }

  override async push(remote: GitRemoteAddress, { branch, from, to, pack }: GitPush): Promise<void> {
    const { base, branches } = await this.advertised(remote, 'git-receive-pack');
    if (branches.get(branch) !== from) {
      throw new GitRemoteRefused('The branch of the remote was changed in the meantime.');
    }
    const command = `${from ?? noSha} ${to} ${branchPrefix}${branch}\0report-status ${agent}\n`;
    const body = Buffer.concat([packetLine(command), flush, pack]);
    const answer = await this.post({ ...remote, url: base }, 'git-receive-pack', body);
    try {
      let isUnpacked = false;
      let isMoved = false;
      for await (const line of packetLines(answer.body)) {
        const text = line?.toString('utf8').trim() ?? '';
        if (text === 'unpack ok') isUnpacked = true;
        if (text === `ok ${branchPrefix}${branch}`) isMoved = true;
        if (text.startsWith('ng '))
          throw new GitRemoteRefused('The remote refused the push; the branch may be protected.');
      }
      if (!isUnpacked || !isMoved) throw new GitRemoteRefused('The remote did not accept the push.');
    } catch (error) {
      throw explained(error);
    } finally {
      answer.close();
    }
  }

  private async advertised({ url, token }: GitRemoteAddress, service: Service): Promise<Advertised> {
    const path = `/info/refs?service=${service}`;
    const answer = await this.open(`${trimmed(url)}${path}`, { method: 'GET', token });
    try {
      const base = answer.url.endsWith(path) ? answer.url.slice(0, -path.length) : undefined;
      // The token is sent only to the original host, so requests to another host would not be authenticated.
      if (base === undefined || new URL(base).origin !== new URL(url).origin) {
        throw new GitRemoteRefused('The repository has moved to another address; connect to that one.');
      }
      mustBe(answer.headers, `application/x-${service}-advertisement`);
      return { base, ...(await refsIn(answer.body, service)) };
    } catch (error) {
      throw explained(error);
    } finally {
      answer.close();
    }
  }

  private async post(remote: GitRemoteAddress, service: Service, body: Uint8Array): Promise<EgressStream> {
    const answer = await this.open(`${remote.url}/${service}`, {
      method: 'POST',
      token: remote.token,
      body,
      type: `application/x-${service}-request`,
    });
    try {
      mustBe(answer.headers, `application/x-${service}-result`);
      return answer;
    } catch (error) {
      answer.close();
      throw error;
    }
  }

  private async open(
    url: string,
    { method, token, body, type }: { method: string; token: string | undefined; body?: Uint8Array; type?: string },
  ): Promise<EgressStream> {
    if (!url.startsWith('https://'))
      throw new GitRemoteRefused('The address of a repository must begin with https://.');
    const basic = token === undefined ? undefined : Buffer.from(`x-access-token:${token}`).toString('base64');
    const headers: EgressHeaders = [
      // Some hosts send a web page to clients that they do not recognise as git.
      ['User-Agent', 'git/2.40 (Countersign)'],
      ['Accept-Encoding', 'identity'],
      ...(basic === undefined ? [] : [['Authorization', `Basic ${basic}`] as const]),
      ...(type === undefined ? [] : [['Content-Type', type] as const]),
    ];
    try {
      const answer = await this.egress.stream({
        url,
        method,
        headers,
        body,
        // A POST must not be redirected, because it could turn into another request.
        followRedirects: method === 'GET',
        limits: method === 'GET' ? limits : packLimits,
      });
      if (answer.status === 200) return answer;
      answer.close();
      throw refusedWith(answer.status);
    } catch (error) {
      throw explained(error);
    }
  }
}

const trimmed = (url: string) => url.replace(/\/+$/, '');

function mustBe(headers: EgressHeaders, expected: string): void {
  const type = headers
    .find(([name]) => name === 'content-type')?.[1]
    .split(';')[0]
    ?.trim();
  if (type !== expected) throw notGit();
}

async function refsIn(pieces: AsyncIterable<Uint8Array>, service: Service): Promise<GitRemoteRefs> {
  const branches = new Map<string, string>();
  let defaultBranch: string | undefined;
  for await (const line of packetLines(pieces)) {
    const text = line?.toString('utf8').replace(/\n$/, '');
    if (text === undefined || text === `# service=${service}`) continue;
    const [ref = '', capabilities = ''] = text.split('\0');
    const [sha = '', name = ''] = ref.split(' ');
    if (!shaForm.test(sha)) throw notGit();
    defaultBranch ??= /(?:^| )symref=HEAD:refs\/heads\/(\S+)/.exec(capabilities)?.[1];
    if (name.startsWith(branchPrefix)) branches.set(name.slice(branchPrefix.length), sha);
  }
  return { defaultBranch, branches };
}

/**
 * Band 1 contains the pack, and band 2 progress messages.
 * @throws GitRemoteRefused for an error of the remote, which is in band 3 or in a line that begins with ERR
 */
async function* packIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const line of packetLines(pieces)) {
    const [band] = line ?? [];
    if (line === undefined || band === undefined || band === 2) continue;
    if (band === 1) yield line.subarray(1);
    else if (band === 3 || line.toString('latin1', 0, 4) === 'ERR ') {
      throw new GitRemoteRefused('The remote did not send its history.');
    }
  }
}

function refusedWith(status: number): Error {
  if (status === 401 || status === 403) return new GitRemoteRefused('The remote does not accept the token.');
  if (status === 404)
    return new GitRemoteRefused('The remote has no such repository, or the token has no access to it.');
  if (status >= 300 && status < 400) {
    return new GitRemoteRefused('The repository has moved to another address; connect to that one.');
  }
  return new GitRemoteUnavailable(`The remote responded with the status ${status}.`);
}

function explained(error: unknown): unknown {
  if (error instanceof EgressRefused) return new GitRemoteRefused(error.message);
  if (error instanceof EgressFailed) return new GitRemoteUnavailable(error.message);
  return error;
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../app.js';
import { done } from '../people.js';
import type { RealGit } from './real-git.js';

/** A site with git commits. */
export class GitSite {
  private constructor(
    private readonly app: TestApp,
    readonly projectId: string,
  ) {}

  static async of(app: TestApp): Promise<GitSite> {
    return new GitSite(app, (await done(app, 'site/createProject', { name: 'Shop' })).id);
  }

  readonly git = (operation: string, body: object = {}, key?: string) =>
    done(this.app, `site/git${operation}`, { projectId: this.projectId, ...body }, key);
  readonly refused = async (operation: string, body: object = {}, key?: string) => {
    const { status, body: answer } = await this.app.call(
      `site/${operation}`,
      { projectId: this.projectId, ...body },
      key,
    );
    return [status, answer.code, answer.detail];
  };
  readonly site = (operation: string, body: object = {}) =>
    done(this.app, `site/${operation}`, { projectId: this.projectId, ...body });
  readonly commit = async (message = 'Commit'): Promise<string> => (await this.git('Commit', { message })).sha;
  readonly page = async (path: string, content: string, more: object = {}) =>
    (await this.site('createPage', { name: 'Page', path, content, ...more })).id as string;
  readonly change = (id: string, body: object) => done(this.app, 'site/updatePage', { id, ...body });
  readonly paths = async (): Promise<readonly string[]> =>
    (await this.site('listPages')).map((one: { path: string }) => one.path).sort();
  readonly textAt = async (path: string): Promise<string> => {
    const { id } = (await this.site('listPages')).find((one: { path: string }) => one.path === path);
    return (await done(this.app, 'site/getPage', { id })).content;
  };

  /** Creates the pages `/a` and `/b`, and the branch `next`, which becomes the present one. */
  async branched() {
    const [a, b] = [await this.page('/a', 'a\n'), await this.page('/b', 'b\n')];
    await this.commit();
    await this.git('CreateBranch', { name: 'next' });
    await this.git('SwitchBranch', { name: 'next' });
    return { a, b };
  }

  /** Makes a bare repository for the real git, which checks it. Returns its folder. */
  async as(real: RealGit, sha: string): Promise<string> {
    const folder = `bare-${sha.slice(0, 12)}`;
    const { id: workspaceId } = await done(this.app, 'workspace/getWorkspace');
    const packs = join(this.app.dataDir, 'git', workspaceId, this.projectId);
    const names = readdirSync(packs).flatMap((name) => (name.endsWith('.idx') ? [name.slice(0, -4)] : []));
    real.adopt(folder, packs, { packs: names }, sha);
    return folder;
  }
}

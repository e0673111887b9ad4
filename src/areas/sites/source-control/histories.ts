import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { GitRepository, GitTree } from '../../../ports/offloaded/git-repositories.port.js';
import { refuse } from '../sites.refusals.js';
import { ContentChanges } from '../snapshot/content-changes.api.js';
import { type ContentPlan, mainChange } from '../snapshot/content-plan.api.js';
import { CommitAuthors } from './commit-authors.js';
import {
  begun,
  branchOf,
  headOf,
  mostBranches,
  mustHaveAsked,
  onTopOf,
  type RepositoryBefore,
} from './git-repository.js';
import { type GitRepositoryEvent, gitRepositories, type SiteRepository } from './git-repository.record.js';
import { changedPaths, mergeTrees } from './merge-trees.js';
import { Repositories, repositoryOf } from './repositories.js';
import {
  areSameSettings,
  losesSettings,
  mergeSettings,
  type SiteSettings,
  settingsPath,
  settingsText,
} from './settings-file.js';
import { type AppliedChanges, type SavedSnapshot, SiteChanges } from './site-changes.js';
import {
  editorFiles,
  type FormerPaths,
  formerPaths,
  isSitesOwn,
  settingsOfFiles,
  unfitFiles,
  withFormerEntries,
} from './site-files.js';
import { blobOid, uncommittedPaths, type WorkingTree, WorkingTrees } from './working-trees.js';

export interface SeenRepository {
  readonly found: RepositoryBefore;
  readonly repository: GitRepository;
  readonly working: WorkingTree;
  /** Undefined if nothing was committed yet. */
  readonly head: string | undefined;
  readonly headTree: GitTree;
  /** The settings of `headTree`, with the former entries of pages that git moved. */
  readonly committed: SiteSettings;
  readonly former: FormerPaths;
  readonly changed: readonly string[];
}

export interface Move {
  readonly tree: GitTree;
  readonly repository: GitRepository;
  readonly message: string;
  /** If true, uncommitted settings that `tree` does not contain become the defaults. */
  readonly discards?: boolean;
  readonly saves?: SavedSnapshot | undefined;
  event(applied: AppliedChanges): GitRepositoryEvent;
}

const commitTries = 5;

interface Merge {
  readonly tree: GitTree;
  readonly contents: ReadonlyMap<string, Uint8Array>;
  readonly conflicts: readonly string[];
}

@Injectable()
export class Histories {
  constructor(
    private readonly repositories: Repositories,
    private readonly trees: WorkingTrees,
    private readonly changes: ContentChanges,
    private readonly plans: SiteChanges,
    private readonly authors: CommitAuthors,
    private readonly texts: RecordTexts,
    private readonly runner: CommandRunner,
  ) {}

  async see(workspaceId: string, projectId: string): Promise<SeenRepository> {
    const [found, working] = await Promise.all([
      this.repositories.find(workspaceId, projectId),
      this.trees.read(workspaceId, projectId),
    ]);
    const repository = repositoryOf(workspaceId, projectId, found);
    const head = headOf(found);
    const headTree = await this.repositories.treeOf(repository, head);
    const settings = await this.repositories.settingsIn(repository, headTree);
    const former = formerPaths(headTree, settings, working.settings);
    const committed = withFormerEntries(settings, headTree, former);
    const changed = uncommittedPaths(working, headTree, committed);
    return { found, repository, working, head, headTree, committed, former, changed };
  }

  /**
   * If another commit is made at the same time, tries again on top of that one.
   * @throws Refusal
   */
  async commit(
    call: OperationContext,
    projectId: string,
    about: { readonly message: string; readonly showEmail: boolean },
  ) {
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitCommitted');
    if (earlier !== undefined) return { sha: earlier.event.data.sha };
    for (let attempt = 1; attempt < commitTries; attempt++) {
      try {
        return await this.commitOnce(call, projectId, about);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'too-much-contention') throw error;
      }
    }
    return await this.commitOnce(call, projectId, about);
  }

  private async commitOnce(
    call: OperationContext,
    projectId: string,
    { message, showEmail }: { message: string; showEmail: boolean },
  ) {
    const seen = await this.see(call.workspaceId, projectId);
    const { found, repository, working, head, changed } = seen;
    const branch = branchOf(found);
    const wrong = unfitFiles([...working.files.values()]);
    if (wrong.length > 0) refuse('git-unfit-names', { wrong });
    const { tree, contents } = await this.treeToCommit(call.workspaceId, seen);
    if (changedPaths(tree, seen.headTree).length === 0) refuse('git-nothing-to-commit', { branch });
    const { sha, packs } = await this.repositories.asked(async (git) =>
      git.commit(repository, {
        tree,
        contents,
        parents: head === undefined ? [] : [head],
        ...(await this.authors.of(call, projectId, message, showEmail)),
      }),
    );
    this.repositories.remember(repository, sha, tree);
    const data = { projectId, branch, sha, packs, message, changed: changed.length };
    await this.record(call, projectId, found, [{ type: 'GitCommitted', data }]);
    return { sha };
  }

  async createBranch(call: OperationContext, projectId: string, name: string) {
    const earlier = await this.repositories.recordedBy(call, projectId, 'GitBranchCreated');
    if (earlier !== undefined) return { branch: name, sha: earlier.event.data.sha };
    const found = await this.repositories.find(call.workspaceId, projectId);
    const sha = headOf(found);
    if (found === undefined || sha === undefined) return refuse('git-no-commits');
    if (headOf(found, name) !== undefined) refuse('git-branch-exists', { branch: name });
    this.mustHaveRoom(found);
    const data = { projectId, branch: name, sha, packs: found.packs };
    await this.record(call, projectId, found, [{ type: 'GitBranchCreated', data }]);
    return { branch: name, sha };
  }

  mustHaveRoom(found: RepositoryBefore): void {
    if (Object.keys(found?.branches ?? {}).length >= mostBranches) refuse('git-branches-full', { limit: mostBranches });
  }

  /**
   * Returns the paths of the uncommitted edits that differ from `tree` and so would be lost. If a pull has crashed
   * after it changed files, the pull can be repeated, because those changes do not differ from its tree. Edited settings
   * of a record whose file `tree` lacks are lost with the record.
   */
  async lostEdits(
    seen: SeenRepository,
    to: Pick<Move, 'tree' | 'repository' | 'discards'>,
  ): Promise<readonly string[]> {
    const { changed, working, head, committed } = seen;
    const settings = await this.settingsOf(seen, to);
    const from = to.discards ? working.settings : committed;
    const gone = [...working.files.values()].filter(({ path }) => !to.tree.has(path));
    const isLost =
      losesSettings(working.settings, { committed: head === undefined ? undefined : committed, from, to: settings }) ||
      !areSameSettings(committed, settingsOfFiles(gone, working.settings));
    return changed.filter((path) =>
      path === settingsPath ? isLost : working.files.get(path)?.oid !== to.tree.get(path)?.oid,
    );
  }

  /** @throws Refusal git-uncommitted, which contains the paths of the edits that would be lost */
  async mustLoseNothing(seen: SeenRepository, repository: GitRepository, tree: GitTree): Promise<void> {
    const paths = await this.lostEdits(seen, { repository, tree });
    if (paths.length > 0) refuse('git-uncommitted', { paths });
  }

  /**
   * Files are merged as a whole, by path. Only in `site.json` is each setting merged on its own.
   * @throws Refusal git-unrelated, git-refused
   */
  async merged(repository: GitRepository, ours: string, theirs: string): Promise<Merge> {
    const { base } = await this.repositories.relation(repository, ours, theirs);
    if (base === undefined) return refuse('git-unrelated');
    const [was, mine, other] = await Promise.all(
      [base, ours, theirs].map((sha) => this.repositories.treeOf(repository, sha)),
    );
    const { tree, conflicts } = mergeTrees(was ?? new Map(), mine ?? new Map(), other ?? new Map());
    if (!conflicts.includes(settingsPath)) return { tree, conflicts, contents: new Map() };
    const [first, second, third] = await Promise.all(
      [was, mine, other].map((one) => this.repositories.settingsIn(repository, one ?? new Map())),
    );
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('The settings of one of the three merged trees are missing.');
    const both = mergeSettings(first, second, third);
    const bytes = Buffer.from(settingsText(both.settings), 'utf8');
    const oid = blobOid(bytes);
    return {
      tree: new Map([...tree, [settingsPath, { oid, isExecutable: false }]]),
      conflicts: both.conflicts.length > 0 ? conflicts : conflicts.filter((path) => path !== settingsPath),
      contents: new Map([[oid, bytes]]),
    };
  }

  /**
   * The event and the edits are recorded in one append. After a concurrent change, `plan` is called again.
   * @throws Refusal
   */
  async move(
    call: OperationContext,
    projectId: string,
    plan: (seen: SeenRepository) => Promise<Move>,
  ): Promise<RepositoryBefore> {
    await this.changes.make(call, async (displacing): Promise<ContentPlan> => {
      const seen = await this.see(call.workspaceId, projectId);
      const { tree, repository, event, message, discards, saves } = await plan(seen);
      const settings = await this.settingsOf(seen, { repository, tree });
      const replaced = discards ? seen.working.settings : seen.committed;
      const target = { repository, tree, settings, replaced, displacing, saves };
      const { changes, also, applied } = await this.plans.plan(call, seen.working, target);
      const made = event(applied);
      mustHaveAsked(call, made);
      const decide = onTopOf(seen.found, projectId, [made]);
      const main = mainChange<SiteRepository, GitRepositoryEvent>({
        aggregate: gitRepositories,
        id: projectId,
        begins: 'perhaps',
        decide,
      });
      return { changes, also, message, main };
    });
    return await this.repositories.find(call.workspaceId, projectId);
  }

  async record(
    call: OperationContext,
    projectId: string,
    seen: RepositoryBefore,
    events: readonly GitRepositoryEvent[],
  ): Promise<void> {
    await this.runner.change<RepositoryBefore, GitRepositoryEvent>(call, {
      aggregate: gitRepositories,
      id: projectId,
      begins: 'perhaps',
      decide: (now) => {
        if (branchOf(now) !== branchOf(seen) || JSON.stringify(now?.branches) !== JSON.stringify(seen?.branches)) {
          refuse('too-much-contention');
        }
        return begun(now, projectId, events);
      },
    });
  }

  /** Returns the settings of `tree`. A moved page that has no entry in it has the one of its former path. */
  private async settingsOf({ former }: SeenRepository, { repository, tree }: Pick<Move, 'repository' | 'tree'>) {
    return withFormerEntries(await this.repositories.settingsIn(repository, tree), tree, former);
  }

  /** Files that belong to no record of the project, such as a README, are copied from the last commit. */
  private async treeToCommit(workspaceId: string, { repository, working, headTree, head }: SeenRepository) {
    const tree = new Map([...headTree].filter(([path]) => !isSitesOwn(path)));
    const contents = new Map<string, Uint8Array>();
    const put = (path: string, bytes: Uint8Array) => {
      const oid = blobOid(bytes);
      contents.set(oid, bytes);
      tree.set(path, { oid, isExecutable: false });
    };
    if (head === undefined) for (const [path, text] of editorFiles) put(path, Buffer.from(text, 'utf8'));
    const settings = await this.repositories.settingsIn(repository, headTree);
    if (!headTree.has(settingsPath) || !areSameSettings(settings, working.settings, true)) {
      put(settingsPath, Buffer.from(settingsText(working.settings), 'utf8'));
    }
    const known = new Set([...headTree.values()].map(({ oid }) => oid));
    const fresh = [...working.files.values()].filter(({ oid }) => !known.has(oid));
    const read = await this.texts.read(
      workspaceId,
      fresh.map(({ content }) => content),
    );
    for (const { oid, content } of fresh) contents.set(oid, Buffer.from(read(content), 'utf8'));
    for (const { path, oid } of working.files.values()) {
      tree.set(path, { oid, isExecutable: headTree.get(path)?.isExecutable ?? false });
    }
    return { tree, contents };
  }
}

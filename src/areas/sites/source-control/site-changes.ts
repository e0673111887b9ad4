import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { alongside, type RelatedChange } from '../../../engine/commands/related-changes.js';
import { inProject } from '../../../engine/commands/reservation.js';
import { UniqueNameLookup } from '../../../engine/commands/unique-name-lookup.js';
import { findOperation } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { inputOf } from '../../../engine/operation/validation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { GitRepository, GitTree } from '../../../ports/offloaded/git-repositories.port.js';
import { termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { componentName } from '../component/component.record.js';
import { templateSlug } from '../email-template/email-template.record.js';
import type { PagePlaces } from '../page/page-place.record.js';
import { type Project, type ProjectEvent, projects } from '../project/project.record.js';
import { type ProjectCircumstances, type ProjectUpdate, updateProject } from '../project/update-project.api.js';
import { Outdated } from '../snapshot/content-changes.api.js';
import { type ContentKind, type ContentRecord, contentKindOf } from '../snapshot/content-kinds.api.js';
import type { PlannedChange } from '../snapshot/content-plan.api.js';
import { type ContentAtPath, PastContent } from '../snapshot/past-content.api.js';
import { type EarlierRecords, fileKeyOf, formerRecord, plannedChanges, recordContent } from './planned-files.js';
import { Repositories } from './repositories.js';
import { type SiteSettings, settingsPath, UnfitFile } from './settings-file.js';
import { type FilePlace, type RequestedFile, recordAtPath } from './site-files.js';
import type { WorkingTree } from './working-trees.js';

export type SavedSnapshot = Extract<ProjectEvent, { type: 'SnapshotSaved' }>['data'];

/** Numbers of files. */
export interface AppliedChanges {
  readonly changed: number;
  readonly deleted: number;
}

export interface PlannedSite {
  readonly changes: readonly PlannedChange[];
  readonly also: readonly RelatedChange[];
  readonly applied: AppliedChanges;
}

export interface RequestedSite {
  readonly repository: GitRepository;
  readonly tree: GitTree;
  readonly settings: SiteSettings;
  /** The settings that `settings` replaces. */
  readonly replaced: SiteSettings;
  readonly displacing: ReadonlySet<string>;
  /** The snapshot that is saved before the changes, if they discard edits. */
  readonly saves?: SavedSnapshot | undefined;
}

/** Plans changes to a site from files in git. Refuses values that operations such as `site/updatePage` refuse. */
@Injectable()
export class SiteChanges {
  constructor(
    private readonly repositories: Repositories,
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
    private readonly past: PastContent,
    private readonly names: UniqueNameLookup,
    private readonly environment: Environment,
  ) {}

  async plan(
    call: OperationContext,
    working: WorkingTree,
    { repository, tree, settings, replaced, displacing, saves }: RequestedSite,
  ): Promise<PlannedSite> {
    const files = await this.requestedFiles(repository, tree, working);
    const earlier = await this.earlierRecords(call, working, files);
    const textOf = await this.textsOfGone(call, working, { files, earlier });
    const { plan } = await termsOf(this.reads, call.workspaceId);
    return await this.repositories.asked(async () => {
      const newId = (prefix: string) => call.newId(prefix);
      const changes = plannedChanges(working, { files, settings, replaced, earlier, displacing, textOf, newId });
      const decide = projectChange(working.records.project, settings, {
        plan,
        upgradeUrl: this.environment.upgradeUrl,
      });
      const changed = changes.length + (decide === undefined ? 0 : 1);
      const deleted = changes.filter(({ to }) => to === undefined).length;
      return { changes, also: projectEvents(working.records.project, saves, decide), applied: { changed, deleted } };
    });
  }

  private async requestedFiles(repository: GitRepository, tree: GitTree, working: WorkingTree) {
    const found = await this.repositories.asked(async () =>
      [...tree].flatMap(([path, { oid }]) => {
        const place = recordAtPath(path);
        return place === undefined ? [] : [{ ...place, path, oid }];
      }),
    );
    const fresh = found.filter(({ path, oid }) => working.files.get(path)?.oid !== oid);
    const texts = await this.repositories.textsOf(repository, new Map(fresh.map(({ path, oid }) => [path, oid])));
    return found.map(({ oid: _, ...place }): RequestedFile => ({ ...place, text: texts.get(place.path) }));
  }

  private async earlierRecords(
    { workspaceId }: OperationContext,
    { records, files: there }: WorkingTree,
    files: readonly RequestedFile[],
  ): Promise<EarlierRecords> {
    const { id: projectId } = records.project;
    const made = files.filter(({ path }) => !there.has(path));
    const newPages = made.filter(({ kind }) => kind === 'page');
    const pagesAt = new Map(newPages.map(({ key }): [string, string[]] => [key, []]));
    const where = { projectId };
    const all = newPages.length === 0 ? [] : await this.reads.find<PagePlaces>(workspaceId, 'pagePlaces', { where });
    for (const { id, paths } of all) for (const path of paths) pagesAt.get(path)?.push(id);
    const earlier = new Map<string, readonly ContentAtPath[]>();
    for (const file of made) {
      const ids =
        file.kind === 'page' ? (pagesAt.get(file.key) ?? []) : await this.holders(workspaceId, projectId, file);
      const found: ContentAtPath[] = [];
      for (const id of ids) {
        const last = await this.past.lastAt(file.key, workspaceId, contentKindOf(file.kind) as ContentKind, {
          id,
          keyOf: (record) => fileKeyOf(file.kind, record),
        });
        if (last !== undefined) found.push(last);
      }
      if (found.length > 0) earlier.set(file.path, found);
    }
    return earlier;
  }

  /** Returns the ids of the components that had the name, or of the templates that had the slug. */
  private async holders(workspaceId: string, projectId: string, { kind, key }: FilePlace): Promise<readonly string[]> {
    const reserved = kind === 'component' ? componentName : templateSlug;
    const streams = await this.names.holders(workspaceId, reserved(inProject(projectId, key), ''));
    return streams.map((stream) => parseStream(stream).id);
  }

  /**
   * Reads the texts of pages whose paths are missing in `files`, because a new page in `files` may be one of them under
   * another path, and of records that may come back where further records were. Reads nothing if there are no new files.
   */
  private async textsOfGone(
    { workspaceId }: OperationContext,
    working: WorkingTree,
    { files, earlier }: { readonly files: readonly RequestedFile[]; readonly earlier: EarlierRecords },
  ) {
    const target = new Set(files.map(({ path }) => path));
    const hasNew = files.some(({ kind, path }) => kind === 'page' && !working.files.has(path));
    const gone = hasNew
      ? [...working.files.values()].filter(({ kind, path }) => kind === 'page' && !target.has(path))
      : [];
    const keys = new Set(gone.map(({ key }) => key));
    const records = [
      ...(working.records.pages.filter(({ path }) => keys.has(path)) as unknown as readonly ContentRecord[]),
      ...[...earlier.values()].flatMap((found) => (found.length > 1 ? (formerRecord(found) ?? []) : [])),
    ];
    const read = await this.texts.read(workspaceId, records.map(recordContent));
    const texts = new Map(records.map((page) => [page.id, read(recordContent(page))]));
    return (id: string) => texts.get(id) ?? '';
  }
}

type ProjectDecision = (now: Project | undefined) => readonly ProjectEvent[];

/** The snapshot comes first, and before all changes of the content, because it is saved as of its position in the log. */
function projectEvents(
  { id }: Project,
  saves: SavedSnapshot | undefined,
  change: ProjectDecision | undefined,
): readonly RelatedChange[] {
  const saved: readonly ProjectEvent[] = saves === undefined ? [] : [{ type: 'SnapshotSaved', data: saves }];
  const decide: ProjectDecision = (now) => (now === undefined ? [] : [...saved, ...(change?.(now) ?? [])]);
  return saves === undefined && change === undefined ? [] : [alongside({ aggregate: projects, id, decide })];
}

/**
 * The settings must be valid input for `updateProject`. Returns undefined if they change nothing.
 * @throws UnfitFile
 */
function projectChange(
  project: Project,
  { project: fromFile }: SiteSettings,
  about: ProjectCircumstances,
): ProjectDecision | undefined {
  const sent = Object.fromEntries(Object.entries(fromFile).filter(([, value]) => value !== null));
  const cleared = Object.fromEntries(Object.entries(fromFile).filter(([, value]) => value === null));
  const decide: ProjectDecision = (now) => {
    if (now === undefined) return [];
    if (now.updatedAt !== project.updatedAt) throw new Outdated();
    const events = updateProject(now, sent as ProjectUpdate, about);
    const empty = Object.entries(cleared).filter(([name]) => now[name as keyof Project] !== null);
    if (empty.length === 0) return events;
    const [{ data } = { data: {} }] = events as readonly Extract<ProjectEvent, { type: 'ProjectUpdated' }>[];
    return [{ type: 'ProjectUpdated', data: { ...data, ...Object.fromEntries(empty) } }];
  };
  judge({ ...sent, id: project.id } as JsonObject);
  try {
    return decide(project).length === 0 ? undefined : decide;
  } catch (error) {
    throw error instanceof Refusal ? unfit(error) : error;
  }
}

const unfit = ({ message }: Refusal) => new UnfitFile(settingsPath, message.replace(/\.$/, ''));

function judge(body: JsonObject): void {
  const shape = findOperation('site/updateProject')?.input;
  if (shape === undefined) throw new Error('There is no operation site/updateProject.');
  try {
    inputOf(shape as new () => object, body);
  } catch (error) {
    throw error instanceof Refusal ? unfit(error) : error;
  }
}

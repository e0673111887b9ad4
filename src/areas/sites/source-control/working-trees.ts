import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { BoundedCache } from '../../../kernel/bounded-cache.js';
import { isTextRef, type Text } from '../../../kernel/text/text.js';
import type { GitTree } from '../../../ports/offloaded/git-repositories.port.js';
import type { Component } from '../component/component.record.js';
import type { EmailTemplate } from '../email-template/email-template.record.js';
import type { Page } from '../page/page.record.js';
import { type Project, projects } from '../project/project.record.js';
import { changedPaths } from './merge-trees.js';
import { areSameSettings, type SiteRecords, type SiteSettings, settingsPath, siteSettingsOf } from './settings-file.js';
import { isSitesOwn, type RepositoryFile, repositoryFilesOf } from './site-files.js';

/** Includes uncommitted edits. */
export interface WorkingTree {
  readonly records: SiteRecords;
  readonly files: ReadonlyMap<string, RepositoryFile & { readonly oid: string }>;
  readonly settings: SiteSettings;
}

const mostOids = 100_000;

export function blobOid(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]), 'hex');
}

/** Compares with the tree of the present commit. */
export function uncommittedPaths(
  { files, settings }: WorkingTree,
  head: GitTree,
  committed: SiteSettings,
): readonly string[] {
  const ours = new Map([...files].map(([path, { oid }]) => [path, { oid, isExecutable: false }]));
  const theirs = [...head].filter(([path]) => isSitesOwn(path));
  const paths = changedPaths(ours, new Map(theirs.map(([path, { oid }]) => [path, { oid, isExecutable: false }])));
  const isNew = head.size === 0;
  return isNew || !areSameSettings(committed, settings) ? [...paths, settingsPath].sort() : paths;
}

@Injectable()
export class WorkingTrees {
  private readonly oids = new BoundedCache<string>(mostOids, () => 1);

  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  async read(workspaceId: string, projectId: string): Promise<WorkingTree> {
    const where = { projectId };
    const [project, pages, components, templates] = await Promise.all([
      this.reads.get<Project>(workspaceId, 'projects', projectId),
      this.reads.find<Page>(workspaceId, 'pages', { where }),
      this.reads.find<Component>(workspaceId, 'components', { where }),
      this.reads.find<EmailTemplate>(workspaceId, 'email-templates', { where }),
    ]);
    if (project === undefined) return projects.missing();
    const records = { project, pages: pages.filter(({ active }) => active), components, templates };
    const files = repositoryFilesOf(records);
    const oidOf = await this.oidsOf(workspaceId, files);
    return {
      records,
      files: new Map(files.map((file) => [file.path, { ...file, oid: oidOf(file.content) }])),
      settings: siteSettingsOf(records),
    };
  }

  private async oidsOf(workspaceId: string, files: readonly RepositoryFile[]): Promise<(content: Text) => string> {
    const unknown = files.map(({ content }) => content).filter((one) => isTextRef(one) && !this.oids.get(one.digest));
    const found = new Map<string, string>();
    for (let from = 0; from < unknown.length; from += 50) {
      const some = unknown.slice(from, from + 50);
      const read = await this.texts.read(workspaceId, some);
      for (const one of some) if (isTextRef(one)) found.set(one.digest, blobOid(read(one)));
    }
    for (const [digest, oid] of found) this.oids.set(digest, oid);
    return (content) =>
      isTextRef(content) ? (found.get(content.digest) ?? this.oids.get(content.digest) ?? '') : blobOid(content);
  }
}

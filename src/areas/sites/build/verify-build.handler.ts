import { QueryHandler } from '@nestjs/cqrs';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { RecordTexts } from '../../../engine/record-texts.js';
import {
  SourceCheck,
  SourceCheckGivenUp,
  type SourceFile,
  type SourceWarning,
} from '../../../ports/source-check.port.js';
import type { Component } from '../component/component.record.js';
import type { Page } from '../page/page.record.js';
import { projects } from '../project/project.record.js';
import { filesOf, type ProjectFile, wrongNames } from './source-files.js';
import { type BuildCheck, VerifyBuild } from './verify-build.operations.js';

/** What every site may import without naming it. */
const platformPackages = ['react', 'react-dom', '@countersign/site'];

/** Characters that are in memory at once. */
const batchLength = 8_000_000;
const mostWarnings = 1_000;

type Known = { readonly components: readonly string[]; readonly packages: readonly string[] };

@QueryHandler(VerifyBuild)
export class VerifyBuildHandler {
  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
    private readonly sources: SourceCheck,
  ) {}

  async execute(input: VerifyBuild): Promise<BuildCheck> {
    const call = callOf(input);
    const { workspaceId } = call;
    const project = await this.reads.one(call, projects, input.projectId);
    const where = { projectId: project.id };
    const pages = await this.reads.find<Page>(workspaceId, 'pages', { where, sort: [['sortOrder', 'asc']] });
    const components = await this.reads.find<Component>(workspaceId, 'components', { where });
    const files = filesOf(pages, components);
    const known = {
      components: components.map(({ name }) => name),
      packages: [...platformPackages, ...Object.keys(project.dependencies)],
    };
    const warnings = [...wrongNames(components)];
    for (const batch of batchesOf(files)) warnings.push(...(await this.checked(call, batch, known)));
    const breaking = new Set(files.filter(({ isPublished }) => isPublished).map(({ file }) => file));
    return { ok: !warnings.some(({ file }) => breaking.has(file)), warnings: warnings.slice(0, mostWarnings) };
  }

  private async checked({ workspaceId }: Call, batch: readonly ProjectFile[], known: Known) {
    const read = await this.texts.read(
      workspaceId,
      batch.map(({ content }) => content),
    );
    const files = batch.map(({ file, content }) => ({ file, content: read(content) }));
    return this.judged(workspaceId, files, known);
  }

  /** Where a batch was too much, its files are checked one by one, so that one bad file hides no other. */
  private async judged(
    workspaceId: string,
    files: readonly SourceFile[],
    known: Known,
  ): Promise<readonly SourceWarning[]> {
    try {
      return await this.sources.check({ workspaceId, files, ...known });
    } catch (error) {
      if (!(error instanceof SourceCheckGivenUp)) throw error;
      const [first, ...others] = files;
      if (first === undefined) return [];
      if (others.length === 0) return [tooMuch(first.file)];
      const half = Math.ceil(files.length / 2);
      return [
        ...(await this.judged(workspaceId, files.slice(0, half), known)),
        ...(await this.judged(workspaceId, files.slice(half), known)),
      ];
    }
  }
}

const tooMuch = (file: string): SourceWarning => ({
  file,
  line: 1,
  kind: 'syntax',
  message: 'The file is too large or too deeply nested to be parsed; split it up.',
});

function batchesOf(files: readonly ProjectFile[]): readonly (readonly ProjectFile[])[] {
  const batches: ProjectFile[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const file of files) {
    length += file.content.length;
    if (length > batchLength) {
      batches.push([]);
      length = file.content.length;
    }
    batches.at(-1)?.push(file);
  }
  return batches;
}

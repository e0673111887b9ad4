import { Injectable } from '@nestjs/common';
import { platformPackages } from '../../../kernel/site-code/site-imports.js';
import type { Component } from '../component/component.record.js';
import type { Page } from '../page/page.record.js';
import type { Project } from '../project/project.record.js';
import { ModuleFactsReader } from './module-facts.js';
import { componentFile, sourceFilesOf, wrongBrand, wrongNames } from './source-files.api.js';
import { type SourceWarning, tooMuchSource, warningsOf } from './source-warnings.js';

export interface CheckedContent {
  readonly project: Pick<Project, 'dependencies' | 'color' | 'brandKit'>;
  readonly pages: readonly Page[];
  readonly components: readonly Component[];
}

@Injectable()
export class BuildChecks {
  constructor(private readonly modules: ModuleFactsReader) {}

  /** `breaks` is true for warnings that prevent publishing. */
  async warningsOf(
    workspaceId: string,
    { project, pages, components }: CheckedContent,
  ): Promise<readonly (SourceWarning & { readonly breaks: boolean })[]> {
    const files = sourceFilesOf(pages, components);
    const facts = await this.modules.of(
      workspaceId,
      files.map(({ content }) => content),
    );
    const byFile = new Map(files.map(({ file }, index) => [file, facts[index]]));
    const known = {
      components: new Map(components.map((one) => [one.name, byFile.get(componentFile(one))])),
      globals: new Set(components.filter(({ isGlobal }) => isGlobal).map(({ name }) => name)),
      packages: new Set([...platformPackages, ...Object.keys(project.dependencies)]),
    };
    const faults = files.flatMap(({ file }, index) => {
      const found = facts[index];
      return found === undefined ? [tooMuchSource(file)] : warningsOf(file, found, known);
    });
    const breaking = new Set(files.filter(({ isPublished }) => isPublished).map(({ file }) => file));
    const ofSources = [...wrongNames(components), ...faults].map((one) => ({ ...one, breaks: breaking.has(one.file) }));
    return [...ofSources, ...wrongBrand(project).map((one) => ({ ...one, breaks: false }))];
  }

  async breaking(workspaceId: string, content: CheckedContent): Promise<SourceWarning | undefined> {
    return (await this.warningsOf(workspaceId, content)).find(({ breaks }) => breaks);
  }
}

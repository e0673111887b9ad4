import type { Text } from '../../../kernel/text/text.js';
import { themeOf } from '../brand-theme.js';
import type { Component } from '../component/component.record.js';
import type { Page } from '../page/page.record.js';
import type { Project } from '../project/project.record.js';
import type { SourceWarning } from './source-warnings.js';

export interface ProjectFile {
  readonly file: string;
  readonly content: Text;
  readonly isPublished: boolean;
}

export function pageFile({ path }: Pick<Page, 'path'>): string {
  const segments = path.split('/').filter((one) => one !== '');
  const names = segments.map((one) => (one.startsWith(':') ? `[${one.slice(1)}]` : one));
  return `pages/${names.join('/') || 'index'}.tsx`;
}

export const componentFile = ({ name }: Pick<Component, 'name'>): string => `components/${name}.tsx`;

export function sourceFilesOf(pages: readonly Page[], components: readonly Component[]): readonly ProjectFile[] {
  return [
    ...pages
      .filter(({ content }) => content !== '')
      .map((page) => ({ file: pageFile(page), content: page.content, isPublished: page.active && !page.isDraft })),
    ...components.map((component) => ({
      file: componentFile(component),
      content: component.content,
      isPublished: true,
    })),
  ];
}

/**
 * Warns of names that are not in PascalCase, because JSX treats a name that begins with a small letter as an HTML tag.
 */
export function wrongNames(components: readonly Component[]): readonly SourceWarning[] {
  return components
    .filter(({ name }) => !/^[A-Z][A-Za-z0-9]*$/.test(name))
    .map((component) => ({
      file: componentFile(component),
      line: 1,
      kind: 'component-name',
      message: `'${component.name}' is not in PascalCase, such as HeroBanner. A site with this component cannot be published.`,
    }));
}

/** Warns of invalid brand settings. These warnings do not prevent publishing. */
export function wrongBrand(project: Pick<Project, 'color' | 'brandKit'>): readonly SourceWarning[] {
  return themeOf(project).wrong.map((message) => ({ file: 'site.json', line: 1, kind: 'brand-kit', message }));
}

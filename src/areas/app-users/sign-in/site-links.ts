import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { SiteOrigins } from '../../sites/project/addresses/site-origins.api.js';
import type { Project } from '../../sites/project/project.record.js';

const defaultPaths = {
  login: '/login',
  afterLogin: '/',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
} as const;

@Injectable()
export class SiteLinks {
  constructor(
    private readonly environment: Environment,
    private readonly origins: SiteOrigins,
  ) {}

  /** An unpublished site has no pages, so the link then leads to the service's own page. */
  async ofMail(project: Project, page: Exclude<keyof typeof defaultPaths, 'afterLogin'>, token?: string) {
    const isShown = project.published !== null;
    const link = isShown ? await this.to(project, page) : new URL(this.ofApi(project, defaultPaths[page].slice(1)));
    if (token !== undefined) link.searchParams.set('token', token);
    return link.href;
  }

  async to(project: Project, page: keyof typeof defaultPaths): Promise<URL> {
    const { authPaths, published } = project;
    const origin = published === null ? this.environment.baseUrl : await this.origins.originOf(project);
    return new URL(authPaths[page] ?? defaultPaths[page], origin);
  }

  ofApi({ id }: Project, path: string): string {
    return `${this.environment.baseUrl}/api/app/${id}/${path}`;
  }
}

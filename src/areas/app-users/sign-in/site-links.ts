import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import type { Project } from '../../sites/project/project.record.js';
import { SiteOrigins } from '../../sites/project/site-origins.api.js';

/** Pages of sign-in, by the keys of `authPaths`, where the site has no path of its own for them. */
const defaultPaths = {
  login: '/login',
  afterLogin: '/',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
} as const;

/** Addresses of a site's pages, for mails. */
@Injectable()
export class SiteLinks {
  constructor(
    private readonly environment: Environment,
    private readonly origins: SiteOrigins,
  ) {}

  async to(project: Project, page: keyof typeof defaultPaths, token?: string): Promise<string> {
    const path = project.authPaths[page] ?? defaultPaths[page];
    const link = new URL(path, await this.addressOf(project));
    if (token !== undefined) link.searchParams.set('token', token);
    return link.href;
  }

  /** Of the visitors' API of a site, where the service itself is reached. */
  ofApi({ id }: Project, path: string): string {
    return `${this.environment.baseUrl}/api/app/${id}/${path}`;
  }

  /** Nothing is served at the address of a site that is not published. */
  private async addressOf(project: Project): Promise<string> {
    return project.published === null ? this.environment.baseUrl : this.origins.of(project);
  }
}

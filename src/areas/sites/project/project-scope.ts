import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Scopes } from '../../../engine/scopes.js';
import { Sites } from './sites.api.js';

/** The projects that operations may name: the sites of the caller's workspace. */
@Injectable()
export class ProjectScope implements OnModuleInit {
  constructor(
    private readonly scopes: Scopes,
    private readonly sites: Sites,
  ) {}

  onModuleInit(): void {
    this.scopes.register('project', this.sites);
  }
}

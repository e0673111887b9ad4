import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { refuse } from '../http.refusals.js';
import { assets } from './page-assets.js';

@Controller('approvals/assets')
export class PageAssetsController {
  @Get(':name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const { type, text } = assets.get(name) ?? refuse('unknown-path', { path: '/approvals/assets' });
    reply.type(type).header('Cache-Control', 'public, max-age=31536000, immutable').send(text);
  }
}

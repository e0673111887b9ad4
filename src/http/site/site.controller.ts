import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Through } from '../entrance/door.js';
import { siteRoute } from '../hosts/site-route.js';
import { SiteAnswers } from './site-answers.js';
import { SiteDoor } from './site-door.js';

@Controller()
export class SiteController {
  constructor(private readonly answers: SiteAnswers) {}

  @All(siteRoute)
  @Through(SiteDoor)
  answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answers.answer(request, reply);
  }
}

import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AutomationsModule } from '../areas/automations/automations.module.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { OpenDoor } from './open-door.js';
import { OperationsController } from './operations.controller.js';
import { ProblemFilter } from './problem.filter.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookIngress } from './webhook-ingress.js';

@Module({
  imports: [AutomationsModule],
  controllers: [HealthController, DocsController, WebhookController, OperationsController],
  providers: [
    WebhookIngress,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useClass: OpenDoor },
  ],
})
export class HttpModule {}

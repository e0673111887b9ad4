import { Module } from '@nestjs/common';
import { AutomationsModule } from '../areas/automations/automations.module.js';
import { MailIn } from './mail-in.js';
import { MailIngress } from './mail-ingress.js';
import { MailhookAddresses } from './mailhook-addresses.js';

@Module({ imports: [AutomationsModule], providers: [MailIn, MailIngress, MailhookAddresses], exports: [MailIn] })
export class SmtpModule {}

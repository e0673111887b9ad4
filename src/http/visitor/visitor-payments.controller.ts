import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Checkouts } from '../../areas/payments/payment/checkouts.api.js';
import { VisitorPurchases } from '../../areas/payments/payment/visitor-purchases.api.js';
import { Calls } from '../../engine/operation/calls.js';
import { Field } from '../../kernel/field/field.js';
import { visitorBodies } from '../body.js';
import { refuse } from '../http.refusals.js';
import { visitorActorOf } from './visitor-actor.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor, VisitorReadDoor, type VisitorRequest } from './visitor-door.js';
import { Visits } from './visitor-route.js';
import { BegunCheckout, OwnPurchases, SoldOffer } from './visitor-shapes.js';

const path = { type: 'string', maxLength: 2_000, optional: true } as const;

class CheckoutBody {
  @Field({ type: 'string', minLength: 1, maxLength: 64 }) offerKey!: string;
  @Field({ type: 'string', minLength: 1, maxLength: 200, optional: true }) couponCode?: string;
  @Field({ type: 'string', enum: ['processor', 'manual'], optional: true }) method?: 'processor' | 'manual';
  @Field(path) successPath?: string;
  @Field(path) cancelPath?: string;
}

@Controller('api/app/:projectId')
export class VisitorPaymentsController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly readDoor: VisitorReadDoor,
    private readonly answers: VisitorAnswers,
    private readonly calls: Calls,
    private readonly checkouts: Checkouts,
    private readonly purchases: VisitorPurchases,
  ) {}

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'payments/checkout',
    id: 'checkout',
    tag: 'payments',
    summary: 'Starts the purchase of an offer.',
    body: CheckoutBody,
    answers: { record: BegunCheckout },
    refuses: ['buyer-not-signed-in', 'manual-payments-off', 'entitlement-held-for-life', 'visitors-quota'],
    limit: visitorBodies.small,
  })
  async checkout(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor } = this.door.admittedOf(request);
    const userId = userOf(visitor);
    const body = this.answers.inputOf(request, CheckoutBody);
    const call = this.calls.visiting(project, visitorActorOf(visitor), 'site/checkout');
    await this.answers.send(reply, project.workspaceId, () => this.checkouts.begin(call, project, userId, body));
  }

  @Visits(VisitorReadDoor, {
    method: 'GET',
    path: 'payments/offers',
    id: 'listOffers',
    tag: 'payments',
    summary: 'Lists the offers for sale on the site.',
    answers: { list: SoldOffer },
    refuses: [],
  })
  async offers(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project } = this.readDoor.admittedOf(request);
    await this.answers.send(reply, project.workspaceId, () => this.purchases.offers(project));
  }

  @Visits(VisitorReadDoor, {
    method: 'GET',
    path: 'payments/mine',
    id: 'listPurchases',
    tag: 'payments',
    summary: 'Lists the purchases and entitlements of the signed-in user.',
    answers: { record: OwnPurchases },
    refuses: ['buyer-not-signed-in'],
  })
  async mine(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor } = this.readDoor.admittedOf(request);
    const userId = userOf(visitor);
    await this.answers.send(reply, project.workspaceId, () => this.purchases.purchasesOf(project, userId));
  }
}

const userOf = ({ user }: VisitorRequest['visitor']): string => user?.id ?? refuse('buyer-not-signed-in');

import type { Order, ReturnRequest } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { AnswerReturn } from "./answer-return";
import { piecesArrived, piecesOutside } from "./pieces";
import { usePiecesText } from "./pieces-text";
import { returnsQuery } from "./queries";
import { ReceiveReturn } from "./receive-return";
import { RequestReturn } from "./request-return";
import { RETURN_TONES } from "./statuses";
import { TakeBack } from "./take-back";

/** The return requests and returns of an order. */
export function OrderReturns({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const souk = useSouk();
  const piecesText = usePiecesText(order);
  const requests = useQuery(returnsQuery(souk, order.id)).data?.return_requests ?? [];
  const [dialog, setDialog] = useState<"takeBack" | "request" | null>(null);
  const mayTakeBack = may("returns.record") && order.items.some((item) => piecesOutside(item) > 0);
  const mayRequest = may("returns.request") && order.items.some((item) => piecesArrived(item) > 0);
  const isEmpty = requests.length === 0 && order.returns.length === 0;
  if (isEmpty && !mayTakeBack) return null;
  const close = () => setDialog(null);
  return (
    <Card
      title={t("orders.returns")}
      actions={
        <span className="line-actions">
          {mayRequest && (
            <Button onClick={() => setDialog("request")}>{t("orders.requestReturn")}</Button>
          )}
          {mayTakeBack && (
            <Button onClick={() => setDialog("takeBack")}>{t("orders.takeBack")}</Button>
          )}
        </span>
      }
    >
      {isEmpty && <p className="muted">{t("orders.noReturns")}</p>}
      <ul className="lines">
        {requests.map((request) => (
          <RequestLine key={request.id} order={order} request={request} />
        ))}
        {order.returns.map((one) => (
          <li key={one.id}>
            <span>
              {t("orders.cameBack")}: {piecesText(one.items)}
              <small className="muted">
                {format.localTime(one.created_at_local)} {one.note}
              </small>
            </span>
            <span>{format.money(one.amount, order.currency)}</span>
          </li>
        ))}
      </ul>
      {dialog === "takeBack" && <TakeBack order={order} onClose={close} />}
      {dialog === "request" && <RequestReturn order={order} onClose={close} />}
    </Card>
  );
}

type Answer = "approve" | "reject" | "cancel" | "receive";

function RequestLine({ order, request }: { order: Order; request: ReturnRequest }) {
  const { t } = useTranslation();
  const format = useFormat();
  const piecesText = usePiecesText(order);
  const answers = useAnswers(request);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const close = () => setAnswer(null);
  return (
    <li className="line-block">
      <div className="line-head">
        <Badge tone={RETURN_TONES[request.status]}>{t(`returnStatus.${request.status}`)}</Badge>
        <span>{piecesText(request.items)}</span>
      </div>
      <small className="muted">{format.localTime(request.created_at_local)}</small>
      {request.reason && <p>{request.reason}</p>}
      {request.note && <p className="muted">{request.note}</p>}
      <div className="line-actions">
        {answers.map((one, place) => (
          <Button
            key={one}
            variant={place === 0 ? "plain" : "quiet"}
            onClick={() => setAnswer(one)}
          >
            {t(`orders.answers.${one}`)}
          </Button>
        ))}
      </div>
      {answer === "receive" && <ReceiveReturn order={order} request={request} onClose={close} />}
      {answer !== null && answer !== "receive" && (
        <AnswerReturn order={order} request={request} answer={answer} onClose={close} />
      )}
    </li>
  );
}

/** The answers that the person may give to a request now. */
function useAnswers({ status }: ReturnRequest): readonly Answer[] {
  const may = useMay();
  const isOpen = status === "requested" || status === "approved";
  return [
    ...(status === "requested" && may("returns.answer") ? (["approve", "reject"] as const) : []),
    ...(status === "approved" && may("returns.answer") ? (["receive"] as const) : []),
    ...(isOpen && may("returns.request") ? (["cancel"] as const) : []),
  ];
}

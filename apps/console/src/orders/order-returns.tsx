import type { Order, ReturnRequest } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { piecesOutside } from "./pieces";
import { returnsQuery } from "./queries";
import { RETURN_TONES } from "./statuses";
import { TakeBack } from "./take-back";
import { useOrderAction } from "./use-order-action";

/** What customers want to send back, and what came back. */
export function OrderReturns({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const souk = useSouk();
  const requests = useQuery(returnsQuery(souk, order.id)).data?.return_requests ?? [];
  const [isTakingBack, setTakingBack] = useState(false);
  const mayTakeBack = may("orders.takeBack") && order.items.some((item) => piecesOutside(item) > 0);
  if (requests.length === 0 && order.returns.length === 0 && !mayTakeBack) return null;
  return (
    <Card
      title={t("orders.returns")}
      actions={
        mayTakeBack && <Button onClick={() => setTakingBack(true)}>{t("orders.takeBack")}</Button>
      }
    >
      {requests.length === 0 && order.returns.length === 0 && (
        <p className="muted">{t("orders.noReturns")}</p>
      )}
      <ul className="lines">
        {requests.map((request) => (
          <RequestLine key={request.id} order={order} request={request} />
        ))}
        {order.returns.map((one) => (
          <li key={one.id}>
            <span>
              {t("orders.cameBack")}
              <small className="muted">
                {format.time(one.created_at)} {one.note}
              </small>
            </span>
            <span>{format.money(one.amount, order.currency)}</span>
          </li>
        ))}
      </ul>
      {isTakingBack && <TakeBack order={order} onClose={() => setTakingBack(false)} />}
    </Card>
  );
}

function RequestLine({ order, request }: { order: Order; request: ReturnRequest }) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const answer = useOrderAction((souk, move: "approve" | "reject" | "receive") =>
    souk.returns[move](order.id, request.id, {}),
  );
  const pieces = request.items
    .map(({ item_id, quantity }) => {
      const name = order.items.find(({ id }) => id === item_id)?.name;
      return `${format.number(quantity)} × ${name}`;
    })
    .join(", ");
  return (
    <li className="line-block">
      <div className="line-head">
        <Badge tone={RETURN_TONES[request.status]}>{t(`returnStatus.${request.status}`)}</Badge>
        <span>{pieces}</span>
      </div>
      {request.reason && <p>{request.reason}</p>}
      {may("returns.answer") && (
        <div className="line-actions">
          {request.status === "requested" && (
            <>
              <Button pending={answer.isPending} onClick={() => answer.mutate("approve")}>
                {t("orders.approveReturn")}
              </Button>
              <Button variant="quiet" onClick={() => answer.mutate("reject")}>
                {t("orders.rejectReturn")}
              </Button>
            </>
          )}
          {request.status === "approved" && (
            <Button pending={answer.isPending} onClick={() => answer.mutate("receive")}>
              {t("orders.receiveReturn")}
            </Button>
          )}
        </div>
      )}
      {answer.error && <ErrorNote error={answer.error} />}
    </li>
  );
}

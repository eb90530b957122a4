import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { deliveryQuery, mayOperate, replayDelivery, rereadMillis } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyId } from "../../ui/Copy.tsx"
import { Dialog, footClasses } from "../../ui/Dialog.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { AttemptList } from "./AttemptList.tsx"
import { DeliveryState, EventKind, REPLAYS_IT } from "./states.tsx"

interface DeliveryDialogProps {
  readonly endpointId: string
  readonly deliveryId: string
  readonly isTest: boolean
  readonly onClose: () => void
}

/** A delivery with every attempt that is kept; it can be sent again. */
export const DeliveryDialog = ({ deliveryId, endpointId, isTest, onClose }: DeliveryDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: delivery, error } = useQuery({
    ...deliveryQuery(session, endpointId, deliveryId),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : rereadMillis([data]))
  })
  const replay = useMutation({
    mutationFn: () => replayDelivery(session, endpointId, deliveryId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] })
  })
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Delivery">
      <div className="grid gap-3">
        <ProblemNotice error={error ?? replay.error} />
        {delivery === undefined && error === null && <Skeleton rows={3} />}
        {delivery !== undefined && (
          <>
            <p className="flex flex-wrap items-center gap-x-4">
              <DeliveryState delivery={delivery} />
              <span>
                <EventKind type={delivery.event_type} isTest={isTest} />
              </span>
              <CopyId id={delivery.delivery_id} label="delivery" />
            </p>
            {delivery.attempts.length === 0 ? (
              <p className="text-muted">It was not sent yet.</p>
            ) : (
              <AttemptList attempts={delivery.attempts} />
            )}
            <p className="text-muted">
              What was sent is the event of this id, the same bytes each time: the receiver has it, and for an outcome
              the run&rsquo;s own page. It is not given back here.
            </p>
            {mayOperate(session) && delivery.attempts.length > 0 && (
              <div className={footClasses}>
                <Button kind="primary" title={REPLAYS_IT} disabled={replay.isPending} onClick={() => replay.mutate()}>
                  Send again
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}

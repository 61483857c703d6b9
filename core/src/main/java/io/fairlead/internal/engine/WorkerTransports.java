package io.fairlead.internal.engine;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.handshake.HandshakeOffers;
import io.fairlead.internal.transports.OpenTransports;
import io.fairlead.internal.transports.ThrownCause;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates a worker's part of each transport of its context. */
final class WorkerTransports {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTransports.class);

    private WorkerTransports() {}

    /**
     * Creates every part that can be created. A transport without capacity for one more worker is left out for this
     * worker.
     *
     * @param offers notified of each transport, or why the worker lacks it
     * @throws FairleadException if none can be created
     */
    static List<TransportWorker> open(OpenTransports transports, WorkerHost host, HandshakeOffers offers) {
        List<TransportWorker> opened = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        transports.byName().forEach((name, transport) -> {
            try {
                TransportWorker part = transport.newWorker(host);
                opened.add(part);
                offers.add(name, part);
            } catch (Throwable thrown) {
                failures.add(thrown);
                offers.addLacking(name, ThrownCause.logged(LOG, "a worker is without a transport", name, thrown));
            }
        });
        if (!opened.isEmpty()) {
            return List.copyOf(opened);
        }
        throw failures.getFirst() instanceof FairleadException known && failures.size() == 1
                ? known
                : new FairleadException(
                        Reason.TRANSPORT, "no transport can make a worker: " + offers.causes(), failures.getFirst());
    }
}

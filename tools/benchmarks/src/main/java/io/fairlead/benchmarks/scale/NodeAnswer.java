package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.rpc.RpcPayload;
import io.fairlead.cli.measure.Side;
import io.fairlead.node.Node;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import java.util.List;
import java.util.Optional;

/** Answers requests on the progress thread of a node, for as long as the process lives. */
final class NodeAnswer implements Side {
    static final long SERVICE = 1;

    private final Node node;
    private final int port;

    /**
     * Listens.
     *
     * @param arguments the transport
     */
    NodeAnswer(List<String> arguments, Optional<String> address) {
        node = Node.start(WorkerSide.config(arguments.getFirst()));
        Service _ = node.serve(
                SERVICE,
                ServiceHandler.replying(request -> RpcPayload.reply(request.segment())),
                ServiceOptions.DEFAULT.onProgressThread());
        port = node.listen(FairleadPeer.loopback(0), _ -> {}).address().getPort();
    }

    @Override
    public String address() {
        return String.valueOf(port);
    }

    @Override
    public String turn(String line, Runnable begun) {
        return "";
    }

    @Override
    public void close() {
        node.close();
    }
}

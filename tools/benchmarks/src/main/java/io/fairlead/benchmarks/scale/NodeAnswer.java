package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.rpc.RpcPayload;
import io.fairlead.node.Node;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import java.util.List;

/** Answers requests on the progress thread of a node, for as long as the process lives. */
final class NodeAnswer implements Role {
    static final String NAME = "node-answer";
    static final long SERVICE = 1;

    private final Node node;
    private final int port;

    /**
     * Listens.
     *
     * @param arguments the transport
     */
    NodeAnswer(List<String> arguments) {
        node = Node.start(WorkerSide.config(arguments.getFirst()));
        Service _ = node.serve(
                SERVICE,
                ServiceHandler.replying(request -> RpcPayload.reply(request.segment())),
                ServiceOptions.DEFAULT.onProgressThread());
        port = node.listen(WorkerSide.loopback(0), _ -> {}).address().getPort();
    }

    @Override
    public String introduction() {
        return String.valueOf(port);
    }

    @Override
    public String turn(List<String> words) {
        return "";
    }

    @Override
    public void close() {
        node.close();
    }
}

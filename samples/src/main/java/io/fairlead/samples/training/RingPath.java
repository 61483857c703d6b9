package io.fairlead.samples.training;

import io.fairlead.Path;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;

/**
 * The way from a worker to its right neighbour, and why it was taken; empty texts where a worker is alone.
 *
 * @param transport the transport's name
 * @param device what it runs over
 * @param lanes the transport's own names for what it combines
 * @param reason why it was chosen
 */
public record RingPath(String transport, String device, List<String> lanes, String reason) {
    static final RingPath NONE = new RingPath("", "", List.of(), "no neighbours");

    private static final String SEPARATOR = ",";

    static RingPath of(Path path) {
        return new RingPath(path.transport(), path.device(), path.lanes(), path.reason());
    }

    void write(DataOutputStream out) throws IOException {
        out.writeUTF(transport);
        out.writeUTF(device);
        out.writeUTF(String.join(SEPARATOR, lanes));
        out.writeUTF(reason);
    }

    static RingPath read(DataInputStream in) throws IOException {
        String transport = in.readUTF();
        String device = in.readUTF();
        String lanes = in.readUTF();
        return new RingPath(
                transport, device, lanes.isEmpty() ? List.of() : List.of(lanes.split(SEPARATOR)), in.readUTF());
    }
}

package io.fairlead.fuzz;

import java.nio.ByteBuffer;
import java.util.List;

/** A surface with a fault that is found with the feedback of coverage alone: proof that a run without findings means something. */
final class PlantedFault implements Harness {
    static final String LABEL = "planted-fault";

    private static final long KEY = 0x4641_4952_4C45_4144L;

    @Override
    public List<byte[]> seeds() {
        return List.of(new byte[16]);
    }

    @Override
    public void run(byte[] input) {
        if (input.length < 2 * Long.BYTES) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.wrap(input);
        // One number at a time: neither can be guessed, and each is seen in the comparison.
        if (bytes.getLong() == KEY && bytes.getLong() == ~KEY) {
            throw new AssertionError("the planted fault was found");
        }
    }
}

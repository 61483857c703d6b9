package io.fairlead.samples.training;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What a training ends with.
 *
 * @param weights of the network; not to be changed
 * @param elapsedNs how long the steps took together, in nanoseconds
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by their hash.
public record TrainedWeights(float[] weights, long elapsedNs) {
    /**
     * The SHA-256 over the bits of all weights: equal only where every bit is.
     *
     * @return 64 hexadecimal digits
     */
    public String hash() {
        ByteBuffer bits = ByteBuffer.allocate(weights.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (float weight : weights) {
            bits.putInt(Float.floatToRawIntBits(weight));
        }
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bits.array()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "TrainedWeights[" + hash() + "]";
    }
}

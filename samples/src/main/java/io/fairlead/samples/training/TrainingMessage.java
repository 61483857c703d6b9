package io.fairlead.samples.training;

import io.fairlead.PathPolicy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;

/** The messages between a worker and the coordinator; the tag of a message identifies its type. */
sealed interface TrainingMessage {
    /** The longest, in bytes; keys are the longest part of any. */
    int LENGTH_MAX = 8 << 10;

    long JOIN_TAG = 1;
    long START_TAG = 2;
    long PROGRESS_TAG = 3;
    long FINISHED_TAG = 4;
    long FAILED_TAG = 5;
    /** To a worker, without content: its weights have been read, and it may go. */
    long END_TAG = 6;

    /**
     * The first message of a worker.
     *
     * @param rank which one it is
     * @param workers how many it takes there to be
     * @param address where its left neighbour can connect
     * @param weightsKey the packed key of the memory where its weights will be
     */
    @SuppressWarnings("ArrayRecordComponent") // Compared with nothing.
    record Join(int rank, int workers, InetSocketAddress address, byte[] weightsKey) implements TrainingMessage {}

    /**
     * The answer, when all are there.
     *
     * @param steps how many
     * @param policy for the paths between the workers
     * @param right where the worker's right neighbour listens
     */
    record Start(int steps, PathPolicy policy, InetSocketAddress right) implements TrainingMessage {}

    /**
     * How far worker 0 is.
     *
     * @param step how many steps are done
     * @param loss the mean over the rows since the last report
     */
    record Progress(int step, double loss) implements TrainingMessage {}

    /**
     * A worker has done all steps, and its weights can be read.
     *
     * @param elapsedNs how long the steps took together
     * @param sumNs how much of it went into adding up
     * @param path the way to its right neighbour
     */
    record Finished(long elapsedNs, long sumNs, RingPath path) implements TrainingMessage {}

    /**
     * A worker cannot go on.
     *
     * @param lost the rank of the worker that is to blame, or {@link TrainingException#NOBODY}
     * @param cause in words
     */
    record Failed(int lost, String cause) implements TrainingMessage {}

    /** The tag to send it with. */
    default long tag() {
        return switch (this) {
            case Join ignored -> JOIN_TAG;
            case Start ignored -> START_TAG;
            case Progress ignored -> PROGRESS_TAG;
            case Finished ignored -> FINISHED_TAG;
            case Failed ignored -> FAILED_TAG;
        };
    }

    /** Writes it. */
    default byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            switch (this) {
                case Join join -> {
                    out.writeInt(join.rank);
                    out.writeInt(join.workers);
                    writeAddress(out, join.address);
                    out.write(join.weightsKey);
                }
                case Start start -> {
                    out.writeInt(start.steps);
                    out.writeUTF(start.policy.toString());
                    writeAddress(out, start.right);
                }
                case Progress progress -> {
                    out.writeInt(progress.step);
                    out.writeDouble(progress.loss);
                }
                case Finished finished -> {
                    out.writeLong(finished.elapsedNs);
                    out.writeLong(finished.sumNs);
                    finished.path.write(out);
                }
                case Failed failed -> {
                    out.writeInt(failed.lost);
                    out.writeUTF(failed.cause);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads one.
     *
     * @throws TrainingException if the bytes are none
     */
    static TrainingMessage of(long tag, byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return switch ((int) tag) {
                case (int) JOIN_TAG -> new Join(in.readInt(), in.readInt(), readAddress(in), in.readAllBytes());
                case (int) START_TAG -> new Start(in.readInt(), PathPolicy.parse(in.readUTF()), readAddress(in));
                case (int) PROGRESS_TAG -> new Progress(in.readInt(), in.readDouble());
                case (int) FINISHED_TAG -> new Finished(in.readLong(), in.readLong(), RingPath.read(in));
                case (int) FAILED_TAG -> new Failed(in.readInt(), in.readUTF());
                default -> throw new IOException("unknown tag");
            };
        } catch (IOException | IllegalArgumentException e) {
            throw TrainingException.of("message not understood: tag=" + tag + ", length=" + bytes.length
                    + " bytes; do all processes run the same version?");
        }
    }

    private static void writeAddress(DataOutputStream out, InetSocketAddress address) throws IOException {
        out.writeUTF(address.getHostString());
        out.writeInt(address.getPort());
    }

    private static InetSocketAddress readAddress(DataInputStream in) throws IOException {
        return new InetSocketAddress(in.readUTF(), in.readInt());
    }
}

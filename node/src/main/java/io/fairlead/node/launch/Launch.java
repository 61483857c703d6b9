package io.fairlead.node.launch;

import io.fairlead.Incubating;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The rank of this process in a parallel run, as its launcher has written it into the environment: which process it is, of how many, and where
 * process 0 is, which the others connect to.
 *
 * <p>It reads, in this order, the variables of torchrun and of Kubernetes' training operators ({@code RANK}, {@code WORLD_SIZE}, {@code MASTER_ADDR},
 * {@code MASTER_PORT}), Open MPI ({@code OMPI_COMM_WORLD_RANK}), MPICH and Intel MPI ({@code PMI_RANK}), a step of Slurm ({@code SLURM_PROCID}
 * under {@code srun}), and an indexed job of Kubernetes ({@code JOB_COMPLETION_INDEX}). Immutable.
 *
 * @param launcher its name, for messages: {@code torchrun}, {@code Open MPI}, {@code MPICH}, {@code Slurm} or {@code Kubernetes}
 * @param rank which process this is, 0 up to {@code size - 1}
 * @param size how many processes there are, 1 to {@value #SIZE_MAX}
 * @param host where process 0 runs: a name or an address, not looked up
 * @param port where process 0 listens: what the environment says, else one that all processes of the job compute from its number, 20000 to 29999
 */
@Incubating
public record Launch(String launcher, int rank, int size, String host, int port) {
    /** The greatest number of processes. */
    public static final int SIZE_MAX = 1 << 20;

    static final int PORT_MAX = 65535;

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public Launch {
        Objects.requireNonNull(launcher, "launcher");
        if (host.isBlank()) {
            throw new IllegalArgumentException("host of a launch is empty: launcher=" + launcher);
        }
        if (size < 1 || size > SIZE_MAX) {
            throw new IllegalArgumentException(
                    "size of a launch out of range: size=" + size + ", allowed 1 to " + SIZE_MAX);
        }
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException(
                    "rank of a launch out of range: rank=" + rank + ", allowed 0 to " + (size - 1));
        }
        if (port < 1 || port > PORT_MAX) {
            throw new IllegalArgumentException(
                    "port of a launch out of range: port=" + port + ", allowed 1 to " + PORT_MAX);
        }
    }

    /**
     * Reads the environment of this process.
     *
     * @return the launch; empty if no known launcher started the process
     * @throws IllegalArgumentException if a launcher did, and one of its variables has no usable value or is missing; the message names the variable
     *     and the remedy
     */
    public static Optional<Launch> fromEnvironment() {
        return of(System.getenv());
    }

    /**
     * Reads an environment. As {@link #fromEnvironment()} otherwise.
     *
     * @param environment variables and their values; an empty value counts as none
     * @return the launch, or empty
     * @throws IllegalArgumentException as {@link #fromEnvironment()}
     */
    public static Optional<Launch> of(Map<String, String> environment) {
        LaunchVariables variables = new LaunchVariables(environment);
        List<Launcher> known = List.of(Launcher.values());
        return known.stream()
                .filter(launcher -> launcher.hasStarted(variables))
                .findFirst()
                .map(launcher -> launcher.read(variables));
    }

    /**
     * Where process 0 listens and the others connect.
     *
     * @return not looked up
     */
    public InetSocketAddress address() {
        return InetSocketAddress.createUnresolved(host, port);
    }

    /**
     * Whether this is process 0.
     *
     * @return whether others connect to this one
     */
    public boolean isFirst() {
        return rank == 0;
    }
}

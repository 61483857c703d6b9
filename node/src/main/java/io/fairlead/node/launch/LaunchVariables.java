package io.fairlead.node.launch;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The environment that a launcher has made, read with errors that name the variable. */
final class LaunchVariables {
    /** What all processes of one job have in common, and no two jobs at a time. */
    private static final List<String> JOB = List.of(
            "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "SLURM_STEP_ID");

    private static final String LOOPBACK = "127.0.0.1";

    private final Map<String, String> environment;

    LaunchVariables(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    boolean has(String name) {
        return text(name).isPresent();
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
    }

    int number(String launcher, String name, int least, int greatest) {
        String text = text(name)
                .orElseThrow(() -> new IllegalArgumentException(launcher + " started this process, but " + name
                        + " is not set: set it, to " + least + " and up"));
        @Nullable Integer number = parse(text);
        if (number == null || number < least || number > greatest) {
            throw new IllegalArgumentException("environment variable out of range: " + name + "=" + printable(text)
                    + ", allowed " + least + " to " + greatest);
        }
        return number;
    }

    private static @Nullable Integer parse(String text) {
        try {
            return Integer.valueOf(text.strip());
        } catch (NumberFormatException notNumber) {
            return null;
        }
    }

    /** This host, where as many processes run as there are in all. */
    Optional<String> isLocal(String localSizeName, String sizeName) {
        return text(localSizeName)
                .filter(local -> Objects.equals(local, environment.get(sizeName)))
                .map(_ -> LOOPBACK);
    }

    /** The first host of a step of Slurm, or of its job. */
    Optional<String> slurmHost() {
        for (String name : List.of("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST")) {
            Optional<String> hosts = text(name);
            if (hosts.isPresent()) {
                return Optional.of(HostList.first(name, hosts.get()));
            }
        }
        return Optional.empty();
    }

    /**
     * The pod of process 0 of an indexed job: its name is the name of this pod with index 0, in the subdomain of the job's service if
     * {@code MASTER_SUBDOMAIN} names one.
     */
    Optional<String> firstPod(String indexName) {
        String suffix = "-" + environment.get(indexName);
        return text("HOSTNAME")
                .filter(pod -> pod.endsWith(suffix))
                .map(pod -> pod.substring(0, pod.length() - suffix.length()) + "-0"
                        + text("MASTER_SUBDOMAIN").map(domain -> "." + domain).orElse(""));
    }

    /** Names the job, the same for every process of it. */
    String job() {
        return JOB.stream().map(name -> text(name).orElse("")).collect(Collectors.joining(":"));
    }

    static String printable(String text) {
        String line = text.codePoints()
                .limit(80)
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return "'" + line + "'";
    }
}

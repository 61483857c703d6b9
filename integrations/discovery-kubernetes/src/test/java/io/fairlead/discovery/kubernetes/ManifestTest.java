package io.fairlead.discovery.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.fairlead.testkit.internal.RepositoryRoot;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The example manifests against Kubernetes' own schema: its client is generated from that, and refuses fields that are not in it and misses those that must be. */
final class ManifestTest {
    private static final Path FOLDER = RepositoryRoot.path().resolve("config/kubernetes");

    /** Kinds of volumes that the profile allows. */
    private static final Set<String> VOLUMES = Set.of(
            "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret");

    static List<Path> manifests() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    private static List<JsonObject> documents(String yaml) {
        List<JsonObject> documents = new ArrayList<>();
        for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
            documents.add(new Gson().toJsonTree(document).getAsJsonObject());
        }
        return documents;
    }

    private static void validate(JsonElement object) throws IOException {
        JsonObject fields = object.getAsJsonObject();
        String kind = fields.get("apiVersion").getAsString() + " "
                + fields.get("kind").getAsString();
        switch (kind) {
            case "v1 Service" -> V1Service.validateJsonElement(object);
            case "v1 Pod" -> V1Pod.validateJsonElement(object);
            case "v1 PersistentVolumeClaim" -> V1PersistentVolumeClaim.validateJsonElement(object);
            case "v1 ServiceAccount" -> V1ServiceAccount.validateJsonElement(object);
            case "apps/v1 Deployment" -> V1Deployment.validateJsonElement(object);
            case "policy/v1 PodDisruptionBudget" -> V1PodDisruptionBudget.validateJsonElement(object);
            case "networking.k8s.io/v1 NetworkPolicy" -> V1NetworkPolicy.validateJsonElement(object);
            case "batch/v1 Job" -> V1Job.validateJsonElement(object);
            case "rbac.authorization.k8s.io/v1 Role" -> V1Role.validateJsonElement(object);
            case "rbac.authorization.k8s.io/v1 RoleBinding" -> V1RoleBinding.validateJsonElement(object);
            default -> throw new AssertionError("no schema here for " + kind);
        }
    }

    @Test
    void shouldFindTheManifests() throws IOException {
        assertEquals(
                List.of("discovery.yaml", "service.yaml", "shared-memory.yaml", "train.yaml"),
                manifests().stream().map(file -> file.getFileName().toString()).toList());
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void shouldKeepToTheSchema(Path manifest) throws IOException {
        List<JsonObject> documents = documents(Files.readString(manifest));
        assertFalse(documents.isEmpty());
        for (JsonObject document : documents) {
            validate(document);
        }
    }

    /** What the profile Restricted of Kubernetes' pod security asks for and refuses, as far as these pods use it. */
    @ParameterizedTest
    @CsvSource({"shared-memory.yaml, 4", "service.yaml, 1"})
    void shouldKeepToTheRestrictedProfile(String manifest, int expected) throws IOException {
        int containers = 0;
        for (JsonObject document : documents(Files.readString(FOLDER.resolve(manifest)))) {
            JsonObject pod = document.getAsJsonObject("spec");
            if (document.get("kind").getAsString().equals("Deployment")) {
                pod = pod.getAsJsonObject("template").getAsJsonObject("spec");
            } else if (!document.get("kind").getAsString().equals("Pod")) {
                continue;
            }
            for (String refused : List.of("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace")) {
                assertFalse(pod.has(refused), refused);
            }
            JsonObject ofPod = pod.getAsJsonObject("securityContext");
            assertTrue(ofPod.get("runAsNonRoot").getAsBoolean());
            assertEquals(
                    "RuntimeDefault",
                    ofPod.getAsJsonObject("seccompProfile").get("type").getAsString());
            for (JsonElement volume : pod.getAsJsonArray("volumes")) {
                Set<String> sources = new HashSet<>(volume.getAsJsonObject().keySet());
                sources.remove("name");
                assertTrue(VOLUMES.containsAll(sources), sources::toString);
            }
            for (JsonElement container : pod.getAsJsonArray("containers")) {
                containers++;
                JsonObject context = container.getAsJsonObject().getAsJsonObject("securityContext");
                assertFalse(context.get("allowPrivilegeEscalation").getAsBoolean());
                assertTrue(context.get("readOnlyRootFilesystem").getAsBoolean());
                assertEquals(
                        "[\"ALL\"]",
                        context.getAsJsonObject("capabilities").get("drop").toString());
            }
        }
        assertEquals(expected, containers);
    }

    /** A variable that is no key would end the start of a process, and nobody starts these here. */
    @ParameterizedTest
    @MethodSource("manifests")
    void shouldSetKeysThatThereAre(Path manifest) throws IOException {
        String keys = Files.readString(RepositoryRoot.path().resolve("config/fairlead.conf"));
        Matcher variable = Pattern.compile("name: FAIRLEAD_(\\w+)").matcher(Files.readString(manifest));
        while (variable.find()) {
            String words = variable.group(1).toLowerCase(Locale.ROOT).replace("_", "[.-]");
            assertTrue(Pattern.compile("(?m)^# " + words + " = ").matcher(keys).find(), variable::group);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "completionMode:, completionsMode:, `completionsMode` in the JSON string is not defined",
        "volumeMounts:, volumesMounts:, `volumesMounts` in the JSON string is not defined",
        "mountPath:, path:, `path` in the JSON string is not defined",
        "readOnly:, readonly:, `readonly` in the JSON string is not defined",
        "value: \"3\", value: [3], Expected the field `value` to be a primitive type"
    })
    void shouldNoticeMistakes(String right, String wrong, String message) throws IOException {
        String manifest = Files.readString(FOLDER.resolve("train.yaml"));
        assertTrue(manifest.contains(right), right);
        List<JsonObject> documents = documents(manifest.replaceFirst(right, wrong));
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> {
            for (JsonObject document : documents) {
                validate(document);
            }
        });
        assertTrue(String.valueOf(refused.getMessage()).contains(message), refused::getMessage);
    }
}

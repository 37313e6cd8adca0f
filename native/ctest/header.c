/* The header as C99, and a program that uses the library: sizes and offsets, one job, one tensor, one diff, wrong handles. */
#include "moire.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define STATIC_ASSERT(name, condition) typedef char name[(condition) ? 1 : -1]
STATIC_ASSERT(error_size, sizeof(moire_error) == 512);
STATIC_ASSERT(error_where, offsetof(moire_error, where) == 8);
STATIC_ASSERT(error_message, offsetof(moire_error, message) == 128);
STATIC_ASSERT(progress_size, sizeof(moire_progress) == 64);
STATIC_ASSERT(progress_stage, offsetof(moire_progress, stage) == 24);
STATIC_ASSERT(desc_size, sizeof(moire_tensor_desc) == 96);
STATIC_ASSERT(desc_shape, offsetof(moire_tensor_desc, shape) == 24);

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "line %d: %s [%s: %s]\n", __LINE__, #condition, err.where, err.message); \
      return 1; \
    } \
  } while (0)

static moire_error err;

static int32_t start(const char *json, uint64_t *job) {
  return moire_job_start(0, (const uint8_t *)json, strlen(json), job, &err);
}

static int run_spin(void) {
  uint64_t job = 0;
  moire_progress progress;
  memset(&progress, 0, sizeof progress);
  progress.struct_size = sizeof progress;
  CHECK(start("{\"kind\":\"selfTest\",\"schemaVersion\":1,\"what\":\"spin\",\"ms\":60000}", &job) == MOIRE_OK);
  CHECK(moire_job_wait(job, 30, &err) == MOIRE_E_TIMEOUT);
  CHECK(moire_job_poll(job, &progress, &err) == MOIRE_OK);
  CHECK(progress.state == MOIRE_JOB_RUNNING && progress.total == 60000 && strcmp(progress.stage, "spin") == 0);
  CHECK(moire_job_cancel(job, &err) == MOIRE_OK);
  CHECK(moire_job_wait(job, 5000, &err) == MOIRE_E_CANCELLED);
  CHECK(moire_job_poll(job, &progress, NULL) == MOIRE_E_CANCELLED && progress.state == MOIRE_JOB_CANCELLED);
  CHECK(moire_job_free(job, &err) == MOIRE_OK);
  CHECK(moire_job_free(job, &err) == MOIRE_E_HANDLE && err.code == MOIRE_E_HANDLE && strcmp(err.where, "job") == 0);
  return 0;
}

static int diff_tensors(void) {
  const uint8_t a[8] = {0, 0, 128, 63, 0, 0, 0, 64}, b[8] = {0, 0, 128, 63, 1, 0, 0, 64};
  uint8_t text[1024], back[16];
  char json[160];
  uint64_t ta = 0, tb = 0, job = 0, need = 0, written = 0;
  moire_tensor_desc desc;
  memset(&desc, 0, sizeof desc);
  desc.struct_size = sizeof desc;
  desc.dtype = 1;
  desc.rank = 1;
  desc.nbytes = 8;
  desc.shape[0] = 2;
  CHECK(moire_tensor_import(&desc, a, 8, &ta, &err) == MOIRE_OK);
  CHECK(moire_tensor_import(&desc, b, 8, &tb, &err) == MOIRE_OK);
  CHECK(moire_tensor_read(tb, 4, back, sizeof back, &written, &err) == MOIRE_OK);
  CHECK(written == 4 && memcmp(back, b + 4, 4) == 0);
  sprintf(json, "{\"kind\":\"diff\",\"schemaVersion\":1,\"pairs\":[{\"a\":%lu,\"b\":%lu}]}", (unsigned long)ta, (unsigned long)tb);
  CHECK(start(json, &job) == MOIRE_OK);
  CHECK(moire_job_wait(job, 10000, &err) == MOIRE_OK);
  CHECK(moire_job_result(job, NULL, 0, &need, &err) == MOIRE_E_BUFFER && need > 0 && need < sizeof text);
  CHECK(moire_job_result(job, text, sizeof text, &need, &err) == MOIRE_OK);
  text[need] = 0;
  CHECK(strstr((const char *)text, "\"differingBytes\":1") != NULL);
  CHECK(moire_job_free(job, &err) == MOIRE_OK && err.code == 0 && err.message[0] == 0);
  CHECK(moire_handle_free(ta, &err) == MOIRE_OK);
  CHECK(moire_handle_free(ta, &err) == MOIRE_E_HANDLE);
  CHECK(moire_tensor_info(tb, &desc, &err) == MOIRE_OK && desc.shape[0] == 2 && desc.nbytes == 8);
  CHECK(moire_handle_free(tb, &err) == MOIRE_OK);
  return 0;
}

int main(void) {
  uint8_t info[4096];
  uint64_t need = 0, job = 0;
  err.struct_size = sizeof err;
  CHECK(moire_abi_version() == MOIRE_ABI_VERSION);
  CHECK(strcmp(moire_status_name(MOIRE_E_STATE), "E_STATE") == 0);
  CHECK(moire_build_info(info, sizeof info, &need, &err) == MOIRE_OK && need > 0 && info[0] == '{');
  CHECK(start("{\"kind\":\"load\",\"schemaVersion\":1,\"pth\":1}", &job) == MOIRE_E_INVALID && job == 0);
  CHECK(strcmp(err.where, "/pth") == 0);
  if (run_spin() != 0 || diff_tensors() != 0) return 1;
  printf("ok\n");
  return 0;
}
